import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { PackAnswer } from "@atrium/runtime/replay/packer/PackerFrames"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"

import { describeBundle, type Description } from "./DescribeBundle.ts"
import type { Exit } from "./ExitCause.ts"
import { RoomGroups } from "./groups/RoomGroups.ts"
import { HeldFrames } from "./HeldFrames.ts"
import type { HostSettings } from "./HostSettings.ts"
import { type Launch, LauncherLink } from "./launcher/LauncherLink.ts"
import { type LoadGauge, makeLoadGauge } from "./LoadGauge.ts"
import { MigrateProcess } from "./MigrateProcess.ts"
import { noPackerCode, Packer, type PackJob } from "./Packer.ts"
import { type MappedBytes, memoryOf } from "./ProcessMemory.ts"
import { PollEveryMs, type ProcessPace, StandardPace } from "./ProcessPace.ts"
import { type Child, type ChildOwner, RoomChild } from "./RoomChild.ts"
import { RoomHost } from "./RoomHost.ts"
import type { RoomNeeds } from "./RoomNeeds.ts"
import type { RoomProcess, RoomProcessListener } from "./RoomProcess.ts"
import { makeSendWindow } from "./SendWindow.ts"
import { SpareProcesses } from "./SpareProcesses.ts"
import { SpareTurns } from "./SpareTurns.ts"
import { MapperProcess } from "./stacks/MapperProcess.ts"
import { StackMapper } from "./stacks/StackMapper.ts"

export interface RoomProcessesOptions {
  /** The Node that runs rooms: 26 or newer, which also denies the network. */
  readonly nodePath: string
  /** Processes that wait for code, per memory size that was asked for once; 64 MiB from the start. */
  readonly warmSpares: number
  /** First uid for rooms; `null` keeps the service's own. Default: uids of its own as root, else `null`. */
  readonly dropToUid?: number | null
  /** The launcher has started this process; absent = it is to be started. */
  readonly launched?: boolean
  /** Frames wait for others under load; absent = they do. */
  readonly sendWindows?: boolean
  /** The launcher that started this process is gone. */
  readonly onLost?: () => void
  /** Gets a line about what cannot be contained here. */
  readonly onNotice?: (line: string) => void
  /** The program that packs chunks of replays. Absent = there is none, and no clip can be stored. */
  readonly packerCode?: () => Promise<Uint8Array>
  /** For tests. */
  readonly pace?: ProcessPace
  /** For tests. */
  readonly describeMs?: number
}

type Kind = Pick<RoomNeeds, "isDev" | "physics">
type Size = Pick<RoomNeeds, "memoryMiB"> &
  Kind & { readonly gives?: boolean; readonly rooms?: number }

/** The room processes of one service. */
export interface RoomProcesses {
  /** Takes a process for a room of this bundle, a warm one if there is one. Throws an `Error` after `close`. */
  take(listener: RoomProcessListener, room: RoomNeeds): RoomProcess
  /** Tells the room types of a bundle. Never rejects. */
  describe(bundle: Uint8Array): Promise<Description>
  /** Takes a process for the migrations of a bundle. Throws an `Error` after `close`. */
  migrator(bundle: Uint8Array, memoryMiB: number): MigrateProcess
  /** Puts the sources of a bundle into a log line that may be a stack. Never rejects. */
  mapStack(bundle: Uint8Array, line: string): string | Promise<string>
  /** Asks for the process that carries the media of voice calls. @returns how to end it */
  readonly startMedia: Launch
  /** Makes a chunk of a room's footage one that can be stored. Never rejects. */
  pack(job: PackJob): Promise<PackAnswer>
  /** Ends every process with the cause `stopped`; resolves when all of them are gone. */
  close(): Promise<void>
}

/** Spare processes that may die before their first word until the service stops to try. */
const SpareDeathsMax = 3
/** Loading code takes more than running it. */
const DescribeMiB = RoomClasses.large.memoryMiB
/** A chunk of 16 MiB, its parts, and notes on each of its values. */
const PackMiB = RoomClasses.large.memoryMiB

/** Starts the launcher of room processes. Rejects with an `Error` when Node does not start. */
export const makeRoomProcesses = async (options: RoomProcessesOptions): Promise<RoomProcesses> => {
  const link = new LauncherLink({ onNotice: () => undefined, ...options })
  await link.open()
  return new Pool(options, link)
}

class Pool implements RoomProcesses {
  readonly #options: RoomProcessesOptions
  readonly #link: LauncherLink
  readonly #hosts = new Set<RoomHost>()
  readonly #migrators = new Set<MigrateProcess>()
  readonly #describing = new Map<RoomChild, Promise<Description>>()
  /** Spare processes of each kind of room that there has been; plain ones of projects other than `dev` from the start. */
  readonly #spares = new Map<string, SpareProcesses<RoomHost>>()
  readonly #timer: NodeJS.Timeout
  readonly #load: LoadGauge
  readonly #window = makeSendWindow()
  readonly #stacks: StackMapper
  readonly #packer: Packer
  readonly #held = new HeldFrames()
  readonly #turns = new SpareTurns()
  readonly #groups: RoomGroups
  #spareDeaths = 0
  #onAllEnded: (() => void) | null = null
  #closed: Promise<void> | null = null

  constructor(options: RoomProcessesOptions, link: LauncherLink) {
    this.#options = options
    this.#link = link
    this.#load = makeLoadGauge(options.sendWindows ?? true)
    this.#stacks = this.#makeStackMapper()
    this.#packer = this.#makePacker()
    this.#groups = this.#makeGroups()
    this.#sparesFor({})
    this.#timer = setInterval(() => this.#poll(), PollEveryMs)
    this.#timer.unref()
    this.#renew()
  }

  take(listener: RoomProcessListener, room: RoomNeeds): RoomProcess {
    if (this.#closed !== null) throw new Error("the room processes are closed")
    this.#spareDeaths = 0
    const host = this.#shared(room) ?? this.#sparesFor(room).take(room) ?? this.#spawn(room)
    host.claim(listener)
    return host
  }

  /** A place in a process that rooms share; `null` = the room has a process of its own. */
  #shared({ shares, bundle, isDev = false }: RoomNeeds): RoomHost | null {
    if (shares === undefined || bundle === undefined) return null
    const host = this.#groups.take({ bundle, isDev, shares })
    if (host !== null) this.#hosts.add(host)
    return host
  }

  async describe(bundle: Uint8Array): Promise<Description> {
    if (this.#closed !== null) {
      return { ok: false, fault: "machine", message: "the service is stopping" }
    }
    const spawn = (owner: ChildOwner): RoomChild => {
      child = new RoomChild(this.#launch({ memoryMiB: DescribeMiB }), owner, this.#window)
      return child
    }
    let child: RoomChild | null = null
    const waitMs = this.#options.describeMs ?? RoomProcessLimits.roomDescribe.ms
    const mapStack = (stack: string) => this.#stacks.map(bundle, stack)
    const description = describeBundle({ spawn, mapStack }, bundle, waitMs)
    if (child === null) return await description
    this.#describing.set(child, description)
    try {
      return await description
    } finally {
      this.#describing.delete(child)
    }
  }

  migrator(bundle: Uint8Array, memoryMiB: number): MigrateProcess {
    if (this.#closed !== null) throw new Error("the room processes are closed")
    const spawn = (owner: ChildOwner) =>
      new RoomChild(this.#launch({ memoryMiB }), owner, this.#window)
    const migrator = new MigrateProcess(spawn, bundle, () => {
      this.#migrators.delete(migrator)
      this.#tellEnded()
    })
    this.#migrators.add(migrator)
    return migrator
  }

  mapStack(bundle: Uint8Array, line: string): string | Promise<string> {
    return this.#stacks.map(bundle, line)
  }

  pack(job: PackJob): Promise<PackAnswer> {
    return this.#packer.pack(job)
  }

  close(): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }

  startMedia: Launch = (owner) => {
    const id = this.#link.startMedia(owner)
    return () => this.#link.kill(id)
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer)
    for (const child of this.#describing.keys()) child.kill()
    for (const host of this.#hosts) host.kill("stopped")
    this.#groups.close()
    for (const migrator of this.#migrators) migrator.close()
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onAllEnded = resolve
      })
    }
    await this.#stacks.close()
    await this.#packer.close()
    await Promise.all(this.#describing.values())
    await this.#link.close()
  }

  #poll(): void {
    const { loaded } = this.#load
    this.#groups.poll(loaded)
    for (const host of this.#hosts) host.poll(loaded)
    this.#stacks.poll()
    this.#packer.poll()
    if (this.#closed !== null || this.#spareDeaths >= SpareDeathsMax) return
    if (this.#turns.isDue(this.#hosts.values().some((host) => host.welcomes))) this.#renew()
  }

  #renew(): void {
    for (const spares of this.#spares.values()) spares.renew()
  }

  #makeStackMapper(): StackMapper {
    const link = this.#link
    const launch: Launch = (owner) => {
      const id = link.startMapper(owner)
      return () => link.kill(id)
    }
    return new StackMapper({
      start: (owner) => new MapperProcess(launch, owner),
      memoryOf: (pid) => (link.measures ? memoryOf(pid) : null)
    })
  }

  #makePacker(): Packer {
    const { packerCode = noPackerCode } = this.#options
    return new Packer({
      spawn: (owner) =>
        new RoomChild(this.#launch({ memoryMiB: PackMiB, gives: true }), owner, this.#window),
      code: packerCode
    })
  }

  #sparesFor({ isDev = false, physics = false }: Kind): SpareProcesses<RoomHost> {
    const kind = `${isDev} ${physics}`
    const known = this.#spares.get(kind)
    if (known !== undefined) return known
    const spawn = (memoryMiB: number): RoomHost => this.#spawn({ memoryMiB, isDev, physics })
    const made = new SpareProcesses(spawn, {
      blankPerSize: this.#options.warmSpares,
      firstSizeMiB: RoomClasses.standard.memoryMiB
    })
    this.#spares.set(kind, made)
    return made
  }

  #makeGroups(): RoomGroups {
    const { memoryMiB } = RoomClasses.standard
    const rooms = RoomProcessLimits.sharedRooms.max
    return new RoomGroups({
      pace: this.#pace.groups,
      launch: (isDev) => this.#launched({ memoryMiB, rooms, isDev }),
      hostEnded: (host, exit) => this.#ended(host, exit),
      processEnded: () => this.#tellEnded()
    })
  }

  get #pace(): ProcessPace {
    return this.#options.pace ?? StandardPace
  }

  #spawn(size: Size): RoomHost {
    const { open, settings } = this.#launched(size)
    const host = new RoomHost(open, settings, (ended, exit) => this.#ended(ended, exit))
    this.#hosts.add(host)
    return host
  }

  /** A process that is to be started, and how it is looked after. */
  #launched(size: Size): {
    readonly open: (owner: ChildOwner) => Child
    readonly settings: HostSettings
  } {
    const launch = this.#launch(size)
    return {
      open: (owner) => new RoomChild(launch, owner, this.#window),
      settings: {
        memoryMiB: size.memoryMiB,
        physics: size.physics === true,
        pace: this.#pace,
        held: this.#held,
        memoryOf: (pid) => (this.#link.measures ? memoryOf(pid) : null),
        mappedBytesOf: launch.mappedBytes
      }
    }
  }

  /** A start that the launcher is asked for; its number is known from then on. */
  #launch(size: Size): Launch & { readonly mappedBytes: () => Promise<MappedBytes | null> } {
    const link = this.#link
    let id = 0
    const launch: Launch = (owner) => {
      const { memoryMiB, isDev = false, physics = false, gives = false, rooms } = size
      const shared = rooms === undefined ? {} : { rooms }
      id = link.start({ memoryMiB, isDev, physics, gives, ...shared }, owner)
      return () => link.kill(id)
    }
    const mappedBytes = () => link.mappedBytes(id, size.physics === true)
    return Object.assign(launch, { mappedBytes })
  }

  #ended(host: RoomHost, exit: Exit): void {
    this.#hosts.delete(host)
    if ([...this.#spares.values()].some((spares) => spares.ended(host, exit))) {
      this.#spareDeaths++
      if (this.#spareDeaths === SpareDeathsMax && this.#closed === null) {
        this.#options.onNotice?.(`room processes do not start: ${exit.detail}`)
      }
    }
    this.#tellEnded()
  }

  #tellEnded(): void {
    if (this.#running === 0) this.#onAllEnded?.()
  }

  get #running(): number {
    return this.#hosts.size + this.#migrators.size + this.#groups.size
  }
}

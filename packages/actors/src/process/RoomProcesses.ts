import { Limits } from "@atrium/domain/Limits"
import { RoomClasses } from "@atrium/domain/RoomClass"

import { type BootSource, NoMeansNotice, readBootSource } from "./BootSource.ts"
import { describeBundle, type Description } from "./DescribeBundle.ts"
import type { Exit } from "./ExitCause.ts"
import { HeldFrames } from "./HeldFrames.ts"
import { LoadGauge } from "./LoadGauge.ts"
import { mapperCommand, MapperProcess } from "./MapperProcess.ts"
import { memoryOf } from "./ProcessMemory.ts"
import { PollEveryMs, type ProcessPace, StandardPace } from "./ProcessPace.ts"
import { type ChildOwner, RoomChild } from "./RoomChild.ts"
import { type Command, roomCommand } from "./RoomCommand.ts"
import { RoomGuardian } from "./RoomGuardian.ts"
import { type HostSettings, RoomHost } from "./RoomHost.ts"
import type { RoomProcess, RoomProcessListener } from "./RoomProcess.ts"
import { makeSendWindow } from "./SendWindow.ts"
import { SpareProcesses } from "./SpareProcesses.ts"
import { StackMapper } from "./StackMapper.ts"

export interface RoomProcessesOptions {
  /** The Node that runs rooms: 26 or newer, which also denies the network. */
  readonly nodePath: string
  /** Processes that wait for code, per memory size that was asked for once; 64 MiB from the start. */
  readonly warmSpares: number
  /** First uid for rooms; `null` keeps the service's own. Default: uids of its own as root, else `null`. */
  readonly dropToUid?: number | null
  /** Gets a line about what cannot be contained here. */
  readonly onNotice?: (line: string) => void
  /** For tests. */
  readonly pace?: ProcessPace
  /** For tests. */
  readonly describeMs?: number
}

/** What a room's process is chosen by. */
export interface RoomNeeds {
  readonly memoryMiB: number
  /** What it will run, for a process that has run its module already. */
  readonly bundle?: Uint8Array
  /** Its project is `dev`: it has the heap of a developer's machine. */
  readonly isDev?: boolean
}

type Size = Pick<RoomNeeds, "memoryMiB" | "isDev">

/** The room processes of one service. */
export interface RoomProcesses {
  /** Takes a process for a room of this bundle, a warm one if there is one. Throws an `Error` after `close`. */
  take(listener: RoomProcessListener, room: RoomNeeds): RoomProcess
  /** Tells the room types of a bundle. Never rejects. */
  describe(bundle: Uint8Array): Promise<Description>
  /** Puts the sources of a bundle into a log line that may be a stack. Never rejects. */
  mapStack(bundle: Uint8Array, line: string): string | Promise<string>
  /** Ends every process with the cause `stopped`; resolves when all of them are gone. */
  close(): Promise<void>
}

/** Each service gets uids of its own, whatever else runs on the machine: 1,000 for each possible pid. */
const Uids = 1_000
const FirstUid = 100_000_000 + process.pid * Uids
/** The last one is for the process that maps stacks. */
const RoomUids = Uids - 1
/** Spare processes that may die before their first word until the service stops to try. */
const SpareDeathsMax = 3
/** Loading code takes more than running it. */
const DescribeMiB = RoomClasses.large.memoryMiB

/** Prepares room processes; blocks for about 100 ms. Throws an `Error` when Node does not start. */
export const makeRoomProcesses = (options: RoomProcessesOptions): RoomProcesses => new Pool(options)

class Pool implements RoomProcesses {
  readonly #options: RoomProcessesOptions
  readonly #commandFor: (size: Size, uid: number | null) => Command
  readonly #memoryOf: HostSettings["memoryOf"]
  readonly #guardian = new RoomGuardian()
  readonly #hosts = new Set<RoomHost>()
  readonly #describing = new Map<RoomChild, Promise<Description>>()
  /** Those of other projects, then those of `dev`, as soon as it has had a room. */
  readonly #spares: Array<SpareProcesses<RoomHost>>
  readonly #uids = new Map<RoomHost, number>()
  readonly #firstUid: number | null
  readonly #timer: NodeJS.Timeout
  readonly #load = new LoadGauge()
  readonly #window = makeSendWindow()
  readonly #stacks: StackMapper
  readonly #held = new HeldFrames()
  #uidCounter = 0
  #spareDeaths = 0
  #onAllEnded: (() => void) | null = null
  #closed: Promise<void> | null = null

  constructor(options: RoomProcessesOptions) {
    const boot = readBootSource(options.nodePath)
    this.#options = options
    this.#firstUid = firstUidOf(options)
    this.#commandFor = (size, uid) => roomCommand(options.nodePath, boot, { ...size, uid })
    this.#memoryOf = boot.vmDataKiB === null ? () => null : memoryOf
    if (boot.vmDataKiB === null) options.onNotice?.(NoMeansNotice)
    this.#stacks = this.#makeStackMapper(boot)
    this.#spares = [this.#makeSpares(false)]
    this.#timer = setInterval(() => this.#poll(), PollEveryMs)
    this.#timer.unref()
    this.#renew()
  }

  take(listener: RoomProcessListener, room: RoomNeeds): RoomProcess {
    if (this.#closed !== null) throw new Error("the room processes are closed")
    this.#spareDeaths = 0
    if (room.isDev === true && this.#spares.length === 1) this.#spares.push(this.#makeSpares(true))
    const spares = this.#spares[room.isDev === true ? 1 : 0]
    const host = spares?.take(room) ?? this.#spawn(room)
    host.claim(listener)
    return host
  }

  async describe(bundle: Uint8Array): Promise<Description> {
    if (this.#closed !== null) return { ok: false, message: "the service is stopping" }
    const uid = this.#nextUid()
    const spawn = (owner: ChildOwner): RoomChild => {
      child = new RoomChild(this.#commandFor({ memoryMiB: DescribeMiB }, uid), owner, this.#window)
      return child
    }
    let child: RoomChild | null = null
    const waitMs = this.#options.describeMs ?? Limits.roomDescribe.ms
    const mapStack = (stack: string) => this.#stacks.map(bundle, stack)
    const description = describeBundle({ spawn, mapStack }, bundle, waitMs)
    if (child === null) return await description
    const { pid }: RoomChild = child
    this.#describing.set(child, description)
    this.#guardian.watch(pid)
    try {
      return await description
    } finally {
      this.#describing.delete(child)
      this.#guardian.forget(pid)
    }
  }

  mapStack(bundle: Uint8Array, line: string): string | Promise<string> {
    return this.#stacks.map(bundle, line)
  }

  close(): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer)
    for (const child of this.#describing.keys()) child.kill()
    for (const host of this.#hosts) host.kill("stopped")
    if (this.#hosts.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onAllEnded = resolve
      })
    }
    await this.#stacks.close()
    await Promise.all(this.#describing.values())
    await this.#guardian.close()
  }

  #poll(): void {
    const { loaded } = this.#load
    for (const host of this.#hosts) host.poll(loaded)
    this.#stacks.poll()
    if (this.#closed === null && this.#spareDeaths < SpareDeathsMax) this.#renew()
  }

  #renew(): void {
    for (const spares of this.#spares) spares.renew()
  }

  #makeStackMapper(boot: BootSource): StackMapper {
    const uid = this.#firstUid === null ? null : this.#firstUid + RoomUids
    const command = mapperCommand(this.#options.nodePath, boot, uid)
    return new StackMapper({
      start: (owner) => {
        const ended = (): void => {
          this.#guardian.forget(mapper.pid)
          owner.ended()
        }
        const mapper = new MapperProcess(command, { ...owner, ended })
        this.#guardian.watch(mapper.pid)
        return mapper
      },
      memoryOf: this.#memoryOf
    })
  }

  #makeSpares(isDev: boolean): SpareProcesses<RoomHost> {
    return new SpareProcesses((memoryMiB) => this.#spawn({ memoryMiB, isDev }), {
      blankPerSize: this.#options.warmSpares,
      firstSizeMiB: RoomClasses.standard.memoryMiB
    })
  }

  #spawn(size: Size): RoomHost {
    const uid = this.#nextUid()
    const pace = this.#options.pace ?? StandardPace
    const host = new RoomHost(
      this.#commandFor(size, uid),
      {
        ...{ memoryMiB: size.memoryMiB, pace, memoryOf: this.#memoryOf },
        ...{ window: this.#window, held: this.#held }
      },
      (ended, exit) => this.#ended(ended, exit)
    )
    this.#hosts.add(host)
    this.#guardian.watch(host.pid)
    if (uid !== null) this.#uids.set(host, uid)
    return host
  }

  #ended(host: RoomHost, exit: Exit): void {
    this.#hosts.delete(host)
    this.#guardian.forget(host.pid)
    this.#uids.delete(host)
    if (this.#spares.some((spares) => spares.ended(host, exit))) {
      this.#spareDeaths++
      if (this.#spareDeaths === SpareDeathsMax && this.#closed === null) {
        this.#options.onNotice?.(`room processes do not start: ${exit.detail}`)
      }
    }
    if (this.#hosts.size === 0) this.#onAllEnded?.()
  }

  /** A uid that no living room has, or the one in turn when there are more rooms than uids. */
  #nextUid(): number | null {
    if (this.#firstUid === null) return null
    const used = new Set(this.#uids.values())
    for (let tried = 1; tried < RoomUids && used.has(this.#firstUid + this.#uidCounter); tried++) {
      this.#uidCounter = (this.#uidCounter + 1) % RoomUids
    }
    const uid = this.#firstUid + this.#uidCounter
    this.#uidCounter = (this.#uidCounter + 1) % RoomUids
    return uid
  }
}

const firstUidOf = ({ dropToUid }: RoomProcessesOptions): number | null => {
  if (dropToUid !== undefined) return dropToUid
  return process.getuid?.() === 0 ? FirstUid : null
}

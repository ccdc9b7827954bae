import type { ProcessPool } from "@atrium/actors/process/ProcessPool"
import type { RoomStart } from "@atrium/actors/process/RoomProcess"
import {
  MemoryRoomProcess,
  type PlayPort,
  type PlayState
} from "@atrium/actors/process/testing/MemoryRoomProcess"
import { Chance } from "@atrium/api/testing/Chance"
import { Effect } from "effect"

import { CallWatch } from "./CallWatch.ts"
import { addressOf, ClusterState } from "./ClusterState.ts"
import { bundleIn, described, isRelayRoom } from "./Deployments.ts"
import { Faults } from "./Faults.ts"
import { Games } from "./Games.ts"
import { HomesState } from "./HomesState.ts"
import { Host } from "./Host.ts"
import { LinkWires } from "./LinkWires.ts"
import { MeterWatch } from "./MeterWatch.ts"
import type { Parts } from "./Parts.ts"
import { PlainCalls } from "./PlainCalls.ts"
import { PlayedMigrators } from "./PlayedMigrators.ts"
import { onLevel } from "./PlayedSchemas.ts"
import { Processes } from "./Processes.ts"
import { Runner } from "./Runner.ts"
import { RunnerLocks } from "./RunnerLocks.ts"
import { SpeechWatch } from "./SpeechWatch.ts"
import { StepWatch } from "./StepWatch.ts"
import { StoreDoor } from "./StoreDoor.ts"
import { StoredState } from "./StoredState.ts"
import { Timeline } from "./Timeline.ts"
import { Trace } from "./Trace.ts"
import { Turns } from "./Turns.ts"
import { VersionWatch } from "./VersionWatch.ts"
import { Violation } from "./Violation.ts"
import { Witness } from "./Witness.ts"

const opsPerTurn = [8, 32, 128, 1024] as const

/** Seconds that a room's code takes to load, and that pass until the end of a process is noticed. */
const loadMsMax = 300
const exitMsMax = 400
const pipeMsMax = 3

/** A chunk as the process that packs them answers it. Its footage begins and ends now. */
const packed = (bytes: Uint8Array, nowMs: number) => {
  const span = { fromMs: nowMs, toMs: nowMs, fromTick: 0, toTick: 0 }
  return { _tag: "Packed" as const, chunk: { ...span, bytes, plainBytes: bytes.length } }
}

/** What a world is. */
export interface WorldOf {
  readonly seed: number
  /** Its rooms store what migrations lead on. */
  readonly leads: boolean
  /** Its rooms record themselves. */
  readonly films: boolean
  /** Its rooms have calls. */
  readonly talks: boolean
}

/** Runners, their rooms, what is stored of them, and all that goes wrong: one seed, one history. */
export class World {
  readonly timeline: Timeline
  readonly trace: Trace
  readonly chance: Chance
  readonly faults: Faults
  readonly door: StoreDoor
  readonly stored: StoredState
  readonly cluster: ClusterState
  readonly wires: LinkWires
  readonly homes: HomesState
  readonly speech: SpeechWatch
  readonly plain: PlainCalls
  readonly meters: MeterWatch
  readonly calls: CallWatch
  readonly witness: Witness
  readonly #locks: RunnerLocks
  readonly steps: StepWatch
  readonly games: Games
  /** The reference of the versions; `null` = the rooms of this world store the same on all versions. */
  readonly versions: VersionWatch | null
  readonly migrators: PlayedMigrators
  readonly processes = new Processes()
  readonly runners: Array<Runner> = []
  /** Where clients live. It never dies. */
  readonly outside: Host
  /** How often the media of calls died beside a recording, while the store stood still. */
  filmedCallsLost = 0
  /** Nothing goes wrong any more. */
  calm = false
  readonly #talks: boolean
  /** Its runners know of no other one, as most installations have it: one runs at a time. */
  readonly alone: boolean
  readonly #parts: Parts
  readonly #turns: Turns
  readonly #ids: Chance
  readonly #programs: Chance
  readonly #opsPerTurn: number
  #violation: Violation | null = null

  /** Its rooms record themselves. */
  readonly films: boolean

  constructor({ seed, leads, films, talks }: WorldOf, parts: Parts) {
    this.#parts = parts
    this.films = films
    this.#talks = talks
    this.#turns = new Turns(Chance.of(seed, "turns", 0))
    this.timeline = new Timeline(() => this.#turns.settle(() => this.timeline.stopped))
    this.trace = new Trace(this.timeline)
    this.chance = Chance.of(seed, "weather", 0)
    this.#ids = Chance.of(seed, "ids", 0)
    this.#programs = Chance.of(seed, "programs", 0)
    this.alone = Chance.of(seed, "alone", 0).one(3)
    this.#opsPerTurn = Chance.of(seed, "ops", 0).pick(opsPerTurn)
    this.faults = new Faults(Chance.of(seed, "faults", 0))
    const { timeline, chance } = this
    this.plain = new PlainCalls(timeline)
    this.door = new StoreDoor({
      timeline,
      chance,
      nextEpoch: parts.nextEpoch,
      troubled: (ms) => this.plain.troubled(ms)
    })
    this.meters = new MeterWatch({
      timeline,
      tables: this.door.tables,
      wasTroubled: (sinceMs, toMs) => this.plain.wasTroubled(sinceMs, toMs)
    })
    this.calls = new CallWatch({
      timeline,
      tables: this.door.tables,
      chance: Chance.of(seed, "media", 0),
      checked: (check) => this.checked(check),
      wasTroubled: (sinceMs) => this.plain.wasTroubled(sinceMs, timeline.machineMs)
    })
    this.#locks = new RunnerLocks(this.door, parts.runnerLock)
    this.cluster = new ClusterState({ timeline, chance: Chance.of(seed, "network", 0) })
    this.wires = new LinkWires({
      timeline,
      chance: Chance.of(seed, "links", 0),
      isCut: (address) => this.cluster.cut.has(address)
    })
    this.homes = new HomesState(timeline, this.door.tables)
    const { cluster } = this
    this.speech = new SpeechWatch({
      cluster,
      homes: this.homes,
      plain: this.plain,
      checked: (check) => this.checked(check)
    })
    this.stored = new StoredState(this.door.tables)
    this.witness = new Witness(this.stored, isRelayRoom, this.plain)
    this.steps = new StepWatch({ parts, timeline, trace: this.trace, witness: this.witness })
    this.games = new Games({
      timeline,
      tables: this.door.tables,
      checked: (check) => this.checked(check)
    })
    this.versions = leads ? new VersionWatch(this.stored) : null
    this.migrators = new PlayedMigrators(Chance.of(seed, "migrators", 0))
    this.stored.watch({
      snapshotPut: (room, put) => {
        this.checked(() => this.witness.snapshotPut(room, put))
        if (!isRelayRoom(room)) this.checked(() => this.versions?.snapshotPut(room, put))
      },
      snapshotRemoved: (room) => {
        this.checked(() => this.witness.snapshotRemoved(room))
        this.versions?.snapshotRemoved(room)
      }
    })
    this.outside = this.#host("world")
  }

  /** The broken promise; `null` = all were kept. */
  get violation(): Violation | null {
    return this.#violation ?? this.steps.violation
  }

  /** Code of the product catches what is thrown within it: the world remembers and stops. */
  checked(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.#violation ??= error
      this.timeline.stopped = true
    }
  }

  #host(name: string): Host {
    const { timeline, chance } = this
    return new Host(name, { timeline, turns: this.#turns, chance, opsPerTurn: this.#opsPerTurn })
  }

  /**
   * Starts a runner; it takes some time until it is up.
   *
   * @param alone it takes itself for the only one
   */
  addRunner(alone = this.alone): Runner {
    const number = this.runners.length
    const port = 9450 + number
    const host = this.#host(`R${number}`)
    const { faults, door, cluster, wires, speech, meters } = this
    const runner = new Runner({
      parts: this.#parts,
      locks: this.#locks,
      alone,
      leads: this.versions !== null,
      films: this.films,
      isNext: this.#programs.one(3),
      cluster,
      homes: this.homes,
      areHashed: this.#parts.areHashed,
      wires,
      meters,
      calls: this.#talks ? this.calls : null,
      door,
      host,
      port,
      machines: this.steps.of(host.name),
      processes: this.#poolOf(host),
      memory: {
        machine: () => faults.machine,
        isPressed: (serverId) => faults.pressed.has(serverId)
      },
      randomHex: (characters) =>
        Array.from({ length: characters }, () => this.#ids.below(16).toString(16)).join(""),
      reach: faults.reachFrom(host),
      watched: (rooms) => speech.watched(rooms, { host, address: addressOf(port) }),
      up: () => this.checked(() => this.#mayRun(runner)),
      log: (line) => this.#logged(host, line)
    })
    this.runners.push(runner)
    return runner
  }

  /** A runner that takes itself for the only one runs beside no other. */
  #mayRun(runner: Runner): void {
    for (const other of this.runners) {
      if (other === runner || !other.runs || !(runner.alone || other.alone)) continue
      throw new Violation("alone", `${runner.host.name} is up beside ${other.host.name}`)
    }
  }

  #logged(host: Host, line: string): void {
    this.trace.note(`${host.name}  log ${line}`)
    if (!line.includes("nobody served the rooms")) return
    this.checked(() => {
      throw new Violation("orphan", `${host.name} had to close sockets: ${line}`)
    })
  }

  /** Runners that can be called. */
  get open(): ReadonlyArray<Runner> {
    return this.runners.filter(({ open }) => open)
  }

  get alive(): ReadonlyArray<Runner> {
    return this.runners.filter(({ host }) => !host.dead)
  }

  /**
   * A runner's process dies. Its connection to the database ends with it, unless its machine went, too:
   * then its locks hold until they lapse.
   */
  kill(runner: Runner, machineGone: boolean): void {
    if (machineGone) {
      this.wires.silence(runner.host)
      this.cluster.silence(runner.address)
    }
    runner.host.kill()
    if (!machineGone) this.cluster.releaseAll(runner.address)
  }

  #poolOf(host: Host): ProcessPool["Service"] {
    return {
      take: (listener) => new MemoryRoomProcess(this.#playOn(host), listener),
      describe: (bundle) => Effect.succeed(described(bundleIn(bundle))),
      pack: ({ bytes }) => Effect.succeed(packed(bytes, this.timeline.nowMs)),
      migrator: (bundle) => Effect.sync(() => this.migrators.of(host, bundleIn(bundle))),
      mapStack: (_bundle, line) => line,
      startMedia: () => () => undefined,
      lost: Effect.never
    }
  }

  #playOn(host: Host): PlayPort {
    const { timeline, chance, processes } = this
    return {
      machineMs: () => timeline.machineMs,
      after: (ms, run) => void host.after(ms, run),
      nowMs: () => timeline.nowMs,
      afterByRule: (ms, run) => void host.afterByRule(ms, run),
      delayMs: () => chance.below(pipeMsMax),
      exitMs: () => chance.below(exitMsMax),
      fresh: ({ bundle }) => {
        const { stores } = bundleIn(bundle)
        return stores === undefined ? [] : onLevel([], stores.schema.level)
      },
      starts: (start, process) => {
        const room = `${start.projectId}/${start.roomId}`
        const { epoch, version } = start
        this.checked(() => processes.add({ room, epoch, version, host, process }))
        host.onDeath(() => this.plain.ended(epoch))
        const starts = this.#start(room, host.name, { start, state: [...process.state] })
        const readyMs = typeof starts === "number" ? starts : null
        this.meters.processStarts(process, { room, host, readyMs })
        return starts
      },
      ended: (process) => {
        this.meters.processEnds(process)
        const epoch = processes.ended(process)
        if (epoch !== null) this.plain.ended(epoch)
      }
    }
  }

  #start(
    room: string,
    on: string,
    { start, state }: { readonly start: RoomStart; readonly state: PlayState }
  ): ReturnType<PlayPort["starts"]> {
    const { epoch, version, bundle } = start
    this.trace.note(`${room}  a process starts under ${epoch} with ${state.length} writes`)
    // An incarnation that is no longer wanted may read late; it cannot write.
    if (epoch === this.stored.row(room)?.epoch) {
      this.checked(() => this.versions?.started(room, { version, state }))
    }
    this.checked(() => this.witness.loaded(room, { epoch, on }, state))
    if (bundleIn(bundle).broken) return "code"
    // An end from outside is no reason to stay on an older version, or to be in quarantine.
    if (this.faults.startFails()) return this.versions === null ? "crashed" : "killed"
    if (!this.faults.startHangs()) return this.chance.below(loadMsMax)
    this.versions?.hangs(room)
    return null
  }
}

import { RuleTime } from "@atrium/actors/clock/RuleTime"
import { Machines } from "@atrium/actors/cluster/Machines"
import { ServerReach } from "@atrium/actors/cluster/ServerReach"
import { Deployer } from "@atrium/actors/deployments/Deployer"
import { OldVersions } from "@atrium/actors/deployments/OldVersions"
import { WallWatch } from "@atrium/actors/meters/WallWatch"
import { ObjectStore } from "@atrium/actors/objects/ObjectStore"
import { Packing } from "@atrium/actors/objects/Packing"
import { ProcessPool } from "@atrium/actors/process/ProcessPool"
import { RelayPorts } from "@atrium/actors/relay/RelayPort"
import { AlarmClock } from "@atrium/actors/rooms/AlarmClock"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { Incarnations } from "@atrium/actors/rooms/Incarnations"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import { RetentionSweep } from "@atrium/actors/rooms/RetentionSweep"
import { RoomCalls } from "@atrium/actors/rooms/RoomCalls"
import { RoomEntity } from "@atrium/actors/rooms/RoomEntity"
import { RoomFiles } from "@atrium/actors/rooms/RoomFiles"
import { RoomObjects } from "@atrium/actors/rooms/RoomObjects"
import { RoomReporter } from "@atrium/actors/rooms/RoomReporter"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { Restorer } from "@atrium/actors/saves/Restorer"
import { RoomSaves } from "@atrium/actors/saves/RoomSaves"
import { MemoryFigures, MemoryLook } from "@atrium/actors/servers/MemoryLook"
import { ServerEntity } from "@atrium/actors/servers/ServerEntity"
import { ServerStarts, StartedServers } from "@atrium/actors/servers/ServerStarts"
import { MemoryDatabase } from "@atrium/actors/store/MemoryDatabase"
import { RandomHex } from "@atrium/actors/store/Secrets"
import { memoryStores } from "@atrium/actors/store/Stores"
import { Context, Effect, Exit, Layer, Logger, Metric, Scope } from "effect"

import { aloneLayer, clusterLayer, memberOf, type Place } from "./ClusterLayer.ts"
import { addressOf, type Member } from "./ClusterState.ts"
import type { Host } from "./Host.ts"
import type { Parts } from "./Parts.ts"
import type { RunnerLocks } from "./RunnerLocks.ts"

/** The surroundings of one runner's actors, which the world plays. */
export interface Surroundings extends Place {
  readonly parts: Parts
  readonly locks: RunnerLocks
  /** It takes itself for the only runner. */
  readonly alone: boolean
  readonly machines: (typeof Machines)["Service"]
  readonly processes: ProcessPool["Service"]
  readonly memory: (typeof MemoryFigures)["Service"]
  readonly randomHex: (typeof RandomHex)["Service"]
  readonly reach: (typeof ServerReach)["Service"]
  /** A line of the log of this runner. */
  log(line: string): void
}

const asIs: (typeof Packing)["Service"] = {
  pack: (bytes) => Effect.succeed(bytes.slice()),
  unpack: (bytes) => Effect.succeed(bytes.slice())
}

/** The stores of a world without a fence: a wrong world. */
const openFence = Layer.mergeAll(Layer.fresh(RoomFiles.layer), Layer.fresh(RoomSaves.layer)).pipe(
  Layer.provideMerge(
    Layer.effect(
      RoomObjects,
      Effect.map(ObjectStore, ({ putAll }) => ({ put: (objects) => putAll(objects) }))
    )
  )
)

/** The actors of a runner as `serviceLayer` of api has them, on what is played. */
const actorsLayer = (around: Surroundings, member: Member) => {
  const { parts, door, host } = around
  const awake = Layer.effect(AwakeRooms, Effect.map(AwakeRooms, parts.awake)).pipe(
    Layer.provide(AwakeRooms.layer)
  )
  const actors = Layer.mergeAll(
    RoomEntity,
    ServerEntity,
    AlarmClock,
    RoomReporter,
    WallWatch,
    RetentionSweep,
    Restorer,
    parts.oldVersions ? OldVersions : Layer.empty
  ).pipe(
    Layer.provideMerge(awake),
    Layer.provideMerge(MemoryLook.layer),
    Layer.provideMerge(Incarnations.layer),
    // No room of a world has code that calls.
    Layer.provideMerge(RoomCalls.layer),
    Layer.provideMerge(PlayerFields.layer)
  )
  const services = Layer.mergeAll(Deployer.layer, Rooms.layer).pipe(Layer.provideMerge(actors))
  const fenced = parts.fence ? services : services.pipe(Layer.provideMerge(openFence))
  return fenced.pipe(
    Layer.provideMerge(Layer.succeed(ProcessPool, around.processes)),
    Layer.provideMerge(memoryStores),
    Layer.provideMerge(Layer.succeed(MemoryDatabase, door.of(host))),
    Layer.provideMerge(around.alone ? Layer.fresh(aloneLayer) : clusterLayer(around, member))
  )
}

/** Everything of a process that is not its layers: its scheduler, its clock, and what it reads of the machine. */
const contextOf = ({ host, machines, memory, randomHex, reach, log }: Surroundings) => {
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (logLevel === "Debug" || logLevel === "Trace") return
    log(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  return host.context.pipe(
    Context.add(RuleTime, host.ruleTimes),
    Context.add(Machines, machines),
    Context.add(MemoryFigures, memory),
    Context.add(RandomHex, randomHex),
    Context.add(ServerReach, reach),
    Context.add(Packing, asIs),
    Context.add(RelayPorts, relayPortOf(host)),
    Context.add(StartedServers, new ServerStarts()),
    Context.add(Metric.MetricRegistry, new Map()),
    Context.add(Logger.CurrentLoggers, new Set([logger]))
  )
}

const relayPortOf = (host: Host): (typeof RelayPorts)["Service"] => ({
  nowMs: () => Number(host.monotonicTimeNanosUnsafe()) / 1_000_000,
  setTimer: (delayMs, run) => host.after(Math.max(0, Math.ceil(delayMs)), run),
  afterTurn: (run) => void host.after(0, run),
  soon: (run) => void host.after(0, run)
})

/** What a runner's actors and services need, and have once it is up. */
export type RunnerServices = Layer.Success<ReturnType<typeof actorsLayer>>

/** One runner of a world: the real actors and stores, in one simulated process. */
export class Runner {
  readonly host: Host
  readonly address: string
  readonly #scope = Scope.makeUnsafe()
  #services: Context.Context<RunnerServices> | null = null
  /** It takes no new callers: it is being shut down. */
  closing = false

  constructor(around: Surroundings) {
    this.host = around.host
    this.address = addressOf(around.port)
    const member = memberOf(around.host)
    const context = contextOf(around)
    member.context = context
    if (!around.alone) around.cluster.members.set(this.address, member)
    const { locks, host, alone } = around
    const starting = Effect.andThen(
      locks.take(host, { alone, address: this.address }),
      Layer.buildWithScope(actorsLayer(around, member), this.#scope)
    )
    Effect.runForkWith(context)(starting).addObserver((exit) => {
      if (Exit.isFailure(exit)) {
        around.log("did not come up")
        return host.kill()
      }
      this.#services = Context.merge(context, exit.value)
      member.context = this.#services
      around.log("is up")
    })
  }

  /** It can be called: it is up, alive and not on its way down. */
  get open(): boolean {
    const { dead, frozen } = this.host
    return this.#services !== null && !dead && !frozen && !this.closing
  }

  /** The rooms that are awake here; none before the runner is up. */
  get awake(): AwakeRooms["Service"] | null {
    return this.#services === null ? null : Context.get(this.#services, AwakeRooms)
  }

  /**
   * Runs an effect on this runner. `told` hears of its end once: never of a runner that stays frozen, and
   * with `null` of one that died.
   */
  run<A, E>(
    effect: Effect.Effect<A, E, RunnerServices>,
    told: (exit: Exit.Exit<A, E> | null) => void
  ): void {
    const services = this.#services
    if (services === null) return told(null)
    let over = false
    const once = (exit: Exit.Exit<A, E> | null): void => {
      if (!over) told(exit)
      over = true
    }
    this.host.onDeath(() => once(null))
    Effect.runForkWith(services)(effect).addObserver(once)
  }

  /** SIGTERM, after the rooms were put away: everything ends in its order. */
  end(told: () => void): void {
    this.host.onDeath(told)
    Effect.runForkWith(this.#services ?? Context.empty())(
      Scope.close(this.#scope, Exit.void)
    ).addObserver(told)
  }
}

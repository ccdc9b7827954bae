import { RuleTime } from "@atrium/actors/clock/RuleTime"
import { Machines } from "@atrium/actors/cluster/Machines"
import { ServerReach } from "@atrium/actors/cluster/ServerReach"
import { Deployer } from "@atrium/actors/deployments/Deployer"
import { FleetIntake, ThisIntake } from "@atrium/actors/fleet/FleetIntake"
import { FleetReporter, ThisRunner } from "@atrium/actors/fleet/FleetReporter"
import { LinkConnector } from "@atrium/actors/link/LinkConnector"
import { LinkListener } from "@atrium/actors/link/LinkListener"
import { Links } from "@atrium/actors/link/Links"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import { LogTail } from "@atrium/actors/logs/LogTail"
import { RoomLogs } from "@atrium/actors/logs/RoomLogs"
import { MeterReporter } from "@atrium/actors/meters/MeterReporter"
import { MeterStore } from "@atrium/actors/meters/MeterStore"
import { RunnerMeter } from "@atrium/actors/meters/RunnerMeter"
import { WallWatch } from "@atrium/actors/meters/WallWatch"
import { LedPlayers } from "@atrium/actors/migrations/LedPlayers"
import { ObjectStore, placeAll } from "@atrium/actors/objects/ObjectStore"
import { Packing } from "@atrium/actors/objects/Packing"
import { Sha256 } from "@atrium/actors/objects/Sha256"
import { SeatedPlayers } from "@atrium/actors/presence/SeatedPlayers"
import { ProcessPool } from "@atrium/actors/process/ProcessPool"
import { RelayPorts } from "@atrium/actors/relay/RelayPort"
import { LiveReplays } from "@atrium/actors/replay/LiveReplays"
import { AlarmClock } from "@atrium/actors/rooms/AlarmClock"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { Incarnations } from "@atrium/actors/rooms/Incarnations"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import { RetentionSweep } from "@atrium/actors/rooms/RetentionSweep"
import { RoomCalls } from "@atrium/actors/rooms/RoomCalls"
import { RoomEntity } from "@atrium/actors/rooms/RoomEntity"
import { RoomFiles } from "@atrium/actors/rooms/RoomFiles"
import { expiredSaves, RoomObjects, savesPrefix } from "@atrium/actors/rooms/RoomObjects"
import { RoomReporter } from "@atrium/actors/rooms/RoomReporter"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { Restorer } from "@atrium/actors/saves/Restorer"
import { RoomSaves } from "@atrium/actors/saves/RoomSaves"
import { MemoryFigures, MemoryLook } from "@atrium/actors/servers/MemoryLook"
import { ServerEntity } from "@atrium/actors/servers/ServerEntity"
import { RunnerFills, ServerFills } from "@atrium/actors/servers/ServerFills"
import { ServerStarts, StartedServers } from "@atrium/actors/servers/ServerStarts"
import { MemoryDatabase } from "@atrium/actors/store/MemoryDatabase"
import { RandomHex } from "@atrium/actors/store/Secrets"
import { RunnerMedia } from "@atrium/actors/voice/RunnerMedia"
import { VoiceCalls } from "@atrium/actors/voice/VoiceCalls"
import { type Watched, watchOrphans } from "@atrium/api/router/OrphanSockets"
import { aloneName } from "@atrium/domain/fleet/RunnerStatus"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { Context, Effect, Exit, Layer, Logger, Metric, Scope } from "effect"

import { aloneLayer, clusterLayer, memberOf } from "./ClusterLayer.ts"
import { addressOf, type Member } from "./ClusterState.ts"
import { gamesLayer } from "./GamesLayer.ts"
import type { Host } from "./Host.ts"
import type { Surroundings } from "./Surroundings.ts"
import { migratorLayer, movingLayer, storesLayer } from "./VersionLayers.ts"

/** A client's connection to a runner. */
export interface RunnerSocket extends Watched {
  close(close: { readonly code: number; readonly reason: string }): void
}

const asIs: (typeof Packing)["Service"] = {
  pack: (bytes) => Effect.succeed(bytes.slice()),
  unpack: (bytes) => Effect.succeed(bytes.slice())
}

/** A bundle of a world is short: it stands for its own hash. */
const hashed: (typeof Sha256)["Service"] = (bytes) => Effect.succeed(bytes.slice().buffer)

/** The stores of a world without a fence: a wrong world. */
const openFence = Layer.mergeAll(Layer.fresh(RoomFiles.layer), Layer.fresh(RoomSaves.layer)).pipe(
  Layer.provideMerge(
    Layer.effect(
      RoomObjects,
      Effect.map(ObjectStore, (store) => ({
        put: (objects) => Effect.flatMap(placeAll(store, objects), store.putAll),
        prune: (key, version) =>
          Effect.flatMap(store.list(savesPrefix(key, version)), (entries) =>
            store.delete(expiredSaves(entries))
          ),
        count: () => Effect.succeed({ rooms: 0, saves: 0 })
      }))
    )
  )
)

/** Looks after the sockets of clients, as the router of api does. */
const orphansLayer = (sockets: Iterable<Watched>) =>
  Layer.effectDiscard(Effect.forkScoped(watchOrphans(sockets)))

const linksLayer = ({ parts }: Surroundings) =>
  Layer.effect(Links, Effect.map(Links, parts.links)).pipe(
    Layer.provide(Links.layer),
    Layer.provideMerge(RunnerAnswers.layer)
  )

const meterLayer = ({ parts, meters, calls, host }: Surroundings) =>
  Layer.sync(RunnerMeter, () =>
    parts.counts(meters.countsOf(host, (nowMs) => calls?.looked(host, nowMs)))
  )

/** The calls of a runner, whose media are played. */
const callsLayer = ({ parts, calls, host }: Surroundings) => {
  if (calls === null) return VoiceCalls.layerOff
  const watched = Effect.map(VoiceCalls, (all) => calls.watched(host, parts.voice.calls(all)))
  const media = Layer.sync(RunnerMedia, () => parts.voice.media(calls.mediaOf(host)))
  return Layer.effect(VoiceCalls, watched).pipe(
    Layer.provide(VoiceCalls.layer),
    Layer.provide(media)
  )
}

const seatsLayer = ({ parts: { games } }: Surroundings) =>
  Layer.effect(SeatedPlayers, Effect.map(SeatedPlayers, games.seats)).pipe(
    Layer.provide(SeatedPlayers.layer)
  )

/** Reports what the runner has counted, as the world watches it. */
const reporterLayer = ({ parts, meters, calls, host }: Surroundings) =>
  MeterReporter.pipe(
    Layer.provide(
      Layer.effect(
        MeterStore,
        Effect.map(MeterStore, (store) => {
          const watched = meters.storeOf(host, store)
          return parts.meters(calls === null ? watched : calls.storeOf(host, watched))
        })
      )
    )
  )

/** The actors of a runner as `serviceLayer` of api has them, on what is played. */
const actorsLayer = (around: Surroundings, member: Member, sockets: Iterable<Watched>) => {
  const { parts, door, host } = around
  const awake = Layer.effect(
    AwakeRooms,
    Effect.map(AwakeRooms, (rooms) => around.watched(parts.awake(rooms)))
  ).pipe(
    Layer.provide(AwakeRooms.layer),
    Layer.provide(callsLayer(around)),
    Layer.provideMerge(Layer.merge(meterLayer(around), seatsLayer(around)))
  )
  const actors = Layer.mergeAll(
    RoomEntity,
    ServerEntity,
    AlarmClock,
    RoomReporter,
    reporterLayer(around),
    WallWatch,
    RetentionSweep,
    Restorer,
    FleetReporter,
    parts.oldVersions ? movingLayer(around) : Layer.empty
  ).pipe(
    Layer.provideMerge(awake),
    Layer.provideMerge(MemoryLook.layer),
    Layer.provideMerge(Incarnations.layer),
    Layer.provideMerge(Layer.provideMerge(LedPlayers.layer, migratorLayer(around))),
    Layer.provideMerge(Layer.merge(RoomCalls.layer, LiveReplays.layer)),
    Layer.provideMerge(PlayerFields.layer),
    Layer.provideMerge(RoomLogs.layer),
    Layer.provideMerge(LogTail.layer)
  )
  const services = Layer.mergeAll(
    Deployer.layer,
    Rooms.layer,
    orphansLayer(sockets),
    gamesLayer(around)
  ).pipe(Layer.provideMerge(linksLayer(around)), Layer.provideMerge(actors))
  const fenced = parts.fence ? services : services.pipe(Layer.provideMerge(openFence))
  return fenced.pipe(
    Layer.provideMerge(Layer.succeed(ProcessPool, around.processes)),
    Layer.provideMerge(storesLayer(around)),
    Layer.provideMerge(Layer.succeed(MemoryDatabase, door.of(host))),
    Layer.provideMerge(around.alone ? Layer.fresh(aloneLayer) : clusterLayer(around, member))
  )
}

/** Everything of a process that is not its layers: its scheduler, its clock, and what it reads of the machine. */
const contextOf = (around: Surroundings) => {
  const { host, machines, memory, randomHex, reach, log } = around
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (logLevel === "Debug" || logLevel === "Trace") return
    log(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  return linkContext(around).pipe(
    Context.add(RuleTime, host.ruleTimes),
    Context.add(Machines, machines),
    Context.add(MemoryFigures, memory),
    Context.add(RandomHex, randomHex),
    Context.add(ServerReach, reach),
    Context.add(Packing, asIs),
    Context.add(Sha256, hashed),
    Context.add(RelayPorts, relayPortOf(host)),
    Context.add(StartedServers, new ServerStarts()),
    Context.add(RunnerFills, new ServerFills()),
    Context.add(ThisIntake, new FleetIntake()),
    Context.add(Metric.MetricRegistry, new Map()),
    Context.add(Logger.CurrentLoggers, new Set([logger]))
  )
}

/** How this runner and the others reach each other's rooms. */
const linkContext = ({ host, port, alone, isNext, wires, parts }: Surroundings) => {
  const address = addressOf(port)
  return host.context.pipe(
    Context.add(ThisRunner, {
      name: alone ? aloneName : address,
      version: isNext ? "2.0.0" : "1.0.0"
    }),
    Context.add(LinkConnector, {
      connect: (to) => wires.connect({ host, address }, to),
      versions: isNext ? parts.nextLink : undefined,
      afterTurn: (run) => void host.after(0, run)
    }),
    Context.add(LinkListener, {
      address: alone ? null : address,
      serve: (accept) => wires.listen({ host, address, accept })
    })
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
  /** The connections of its clients. */
  readonly sockets = new Set<RunnerSocket>()
  /** It takes itself for the only runner. */
  readonly alone: boolean
  readonly #scope = Scope.makeUnsafe()
  #services: Context.Context<RunnerServices> | null = null
  /** It takes no new callers: it is being shut down. */
  closing = false

  constructor(around: Surroundings) {
    this.host = around.host
    this.address = addressOf(around.port)
    this.alone = around.alone
    const member = memberOf(around.host)
    const context = contextOf(around)
    member.context = context
    if (!around.alone) around.cluster.members.set(this.address, member)
    const { locks, host, alone } = around
    const starting = Effect.andThen(
      locks.take(host, { alone, address: this.address }),
      Layer.buildWithScope(actorsLayer(around, member, this.sockets), this.#scope)
    )
    Effect.runForkWith(context)(starting).addObserver((exit) => {
      if (Exit.isFailure(exit)) {
        around.log("did not come up")
        return host.kill()
      }
      this.#services = Context.merge(context, exit.value)
      member.context = this.#services
      around.log("is up")
      around.up()
    })
  }

  /** It can be called: it is up, alive and not on its way down. */
  get open(): boolean {
    const { dead, frozen } = this.host
    return this.#services !== null && !dead && !frozen && !this.closing
  }

  /** Its start has ended, and its process has not. */
  get runs(): boolean {
    return this.#services !== null && !this.host.dead
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
    const { code, name } = CloseCodes.restarting
    for (const socket of this.sockets) socket.close({ code, reason: name })
    this.host.onDeath(told)
    Effect.runForkWith(this.#services ?? Context.empty())(
      Scope.close(this.#scope, Exit.void)
    ).addObserver(told)
  }
}

import type { RoomKey } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { LogIngest } from "@atrium/domain/LogIngest"
import { RoomClasses } from "@atrium/domain/RoomClass"
import { serviceMessage } from "@atrium/domain/ServiceMessage"
import { describe, fromDescriptor } from "@atrium/sdk/schema"
import { Clock, Context, Deferred, Effect, Layer, Metric, Option, type Scope } from "effect"

import type { Exit as RoomExit } from "../process/ExitCause.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import type { RoomProcess, RoomProcessListener } from "../process/RoomProcess.ts"
import { StartFailed, type StartOrder } from "../server/ServerProtocol.ts"
import { type DeployedType, DeploymentStore } from "../store/DeploymentStore.ts"
import { RoomStore } from "../store/RoomStore.ts"
import { randomHex } from "../store/Secrets.ts"
import { PlayerFields } from "./PlayerFields.ts"
import { type Alarm, RoomFiles } from "./RoomFiles.ts"
import type { RoomGate } from "./RoomGate.ts"
import { makeSnapshotKeeper, type SnapshotKeeper } from "./SnapshotKeeper.ts"

/** One process of a room, from its start to its end. */
export interface Incarnation {
  readonly order: StartOrder
  readonly deployed: DeployedType
  readonly process: RoomProcess
  /** Stores the last state; false = it could not be stored. No change is made after it. */
  readonly drain: Effect.Effect<boolean>
  /** Resolves when the process has ended, with the cause. */
  readonly ended: Effect.Effect<RoomExit>
}

const exits = Metric.counter("atrium_room_exits_total", {
  description: "Room processes that ended, by cause",
  incremental: true
})

/**
 * Starts incarnations of rooms: loads what is stored, takes a process, and keeps what the process
 * says stored for as long as it lives.
 */
export class Incarnations extends Context.Service<
  Incarnations,
  {
    /** The incarnation's own fibers live in the scope of the caller. */
    start(
      key: RoomKey,
      order: StartOrder,
      gate: RoomGate
    ): Effect.Effect<Incarnation, StartFailed, Scope.Scope>
  }
>()("@atrium/actors/room/Incarnations") {
  static readonly layer = Layer.effect(
    Incarnations,
    Effect.gen(function* () {
      const parts = yield* Effect.context<
        DeploymentStore | RoomFiles | RoomStore | PlayerFields | ProcessPool
      >()
      const ingests = new Map<string, LogIngest>()
      const ingestOf = (projectId: string): LogIngest => {
        const known = ingests.get(projectId) ?? new LogIngest()
        ingests.set(projectId, known)
        return known
      }
      return {
        start: (key, order, gate) =>
          startIncarnation({ key, order, gate, ingest: ingestOf(key.projectId) }).pipe(
            Effect.catchDefect((defect) =>
              Effect.logError("a room could not be started", defect).pipe(
                Effect.andThen(
                  new StartFailed({ message: "the room's stored state or code could not be read" })
                )
              )
            ),
            Effect.annotateLogs({ project: key.projectId, room: key.roomId, epoch: order.epoch }),
            Effect.provideContext(parts)
          )
      }
    })
  )
}

interface Start {
  readonly key: RoomKey
  readonly order: StartOrder
  readonly gate: RoomGate
  /** What the room's project may still log. */
  readonly ingest: LogIngest
}

const startIncarnation = Effect.fn("Room.start")(function* (start: Start) {
  const { key, order } = start
  const { deployed, bundle, stored, lobby, snapshot } = yield* loadRoom(start)
  const processes = yield* ProcessPool
  const ready = yield* Deferred.make<void, StartFailed>()
  const ended = yield* Deferred.make<RoomExit>()
  let taken: RoomProcess | null = null
  const keeper = yield* makeSnapshotKeeper({
    request: (requestId, final) => taken?.requestSnapshot(requestId, { final }),
    store: yield* storing(start, deployed.schemaHash),
    answer: (saveId, isStored) => taken?.saved(saveId, isStored),
    flooded: () => taken?.kill("protocol")
  })
  const listener = yield* listening(start, { keeper, ready, ended, lobby })
  const process = processes.take(listener, { memoryMiB: RoomClasses[order.class].memoryMiB })
  taken = process
  yield* Effect.addFinalizer(() => Effect.sync(() => process.kill("stopped")))
  process.start({
    ...{ projectId: key.projectId, roomId: key.roomId, type: order.type },
    ...{ version: order.version, epoch: order.epoch, bundle, snapshot, lobby },
    seed: randomHex(16),
    nowMs: yield* Clock.currentTimeMillis,
    alarms: stored.alarms
  })
  yield* Deferred.await(ready).pipe(
    Effect.timeoutOrElse({
      duration: Limits.roomStart.ms,
      orElse: () => new StartFailed({ message: "the room's code takes too long to start" })
    })
  )
  const incarnation: Incarnation = {
    order,
    deployed,
    process,
    drain: keeper.drain,
    ended: Deferred.await(ended)
  }
  return incarnation
})

/** Everything that the process needs and the store has. */
const loadRoom = Effect.fnUntraced(function* ({ key, order }: Start) {
  const deployments = yield* DeploymentStore
  const files = yield* RoomFiles
  const rooms = yield* RoomStore
  const { deployed } = yield* deployedType(key, order)
  const [bundle, stored, row] = yield* Effect.all(
    [deployments.bundle(key.projectId, order.version), files.load(key), rooms.load(key)],
    { concurrency: 3 }
  )
  const snapshot =
    stored.snapshot === null
      ? null
      : {
          bytes: stored.snapshot.state,
          schema: (yield* deployedType(key, stored.snapshot.manifest)).schema
        }
  const lobby = { isPublic: row?.isPublic ?? false, started: row?.started ?? false }
  return { deployed, bundle, stored, lobby, snapshot }
})

/** The room type as that version declared it, its descriptor proven to be one. */
const deployedType = Effect.fnUntraced(function* (
  key: RoomKey,
  wanted: { readonly type: string; readonly version: number }
) {
  const deployments = yield* DeploymentStore
  const deployment = yield* deployments.find(key.projectId, wanted.version)
  const found = Option.getOrUndefined(deployment)?.roomTypes.find(
    (candidate) => candidate.type === wanted.type
  )
  if (found === undefined) {
    return yield* Effect.die(new Error(`version ${wanted.version} has no type ${wanted.type}`))
  }
  return { deployed: found, schema: describe(fromDescriptor(found.schema)) }
})

/** Stores a state, and the player fields that were written up to it. */
const storing = Effect.fnUntraced(function* ({ key, order }: Start, schemaHash: string) {
  const files = yield* RoomFiles
  return (state: Uint8Array, generation: Parameters<typeof files.storeSnapshot>[2]["generation"]) =>
    files.storeSnapshot(key, state, { at: order, schemaHash, generation })
})

interface Wires {
  readonly keeper: SnapshotKeeper
  readonly ready: Deferred.Deferred<void, StartFailed>
  readonly ended: Deferred.Deferred<RoomExit>
  readonly lobby: { readonly isPublic: boolean; readonly started: boolean }
}

/** What the process says, sorted: messages to the gate, states to the keeper, the rest to the stores. */
const listening = Effect.fnUntraced(function* ({ key, order, gate, ingest }: Start, wires: Wires) {
  const { keeper, ready, ended } = wires
  const files = yield* RoomFiles
  const rooms = yield* RoomStore
  const players = yield* PlayerFields
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const inRoom = (effect: Effect.Effect<unknown, unknown>): void => {
    run(
      effect.pipe(
        Effect.catchCause((cause) => Effect.logError("a room's facts could not be stored", cause)),
        Effect.annotateLogs({ project: key.projectId, room: key.roomId })
      )
    )
  }
  const clock = yield* Clock.Clock
  let { lobby } = wires
  const listener: RoomProcessListener = {
    ready: () => Deferred.doneUnsafe(ready, Effect.void),
    joined: (ref, welcome) => gate.joined(ref, welcome),
    refused: (ref, refusal) => gate.refused(ref, refusal),
    deliver: (refs, frame) => gate.deliver(refs, frame),
    kick: (ref, close) => gate.kick(ref, close),
    changed: () => keeper.changed(),
    saveRequested: (saveId, generation) => keeper.saveRequested(saveId, generation),
    snapshot: (requestId, bytes) => keeper.snapshot(requestId, bytes),
    alarms: (alarms: ReadonlyArray<Alarm>) => inRoom(files.storeAlarms(key, order.epoch, alarms)),
    lobby: (change) => {
      lobby = { ...lobby, ...change }
      inRoom(rooms.setLobby(key, lobby))
    },
    log: (level, line) => {
      if (ingest.take(Buffer.byteLength(line), clock.currentTimeMillisUnsafe())) {
        inRoom(logs[level](line))
      }
    },
    playerChanged: (playerId, fields) => {
      gate.playerChanged(playerId, fields)
      players.write({ projectId: key.projectId, playerId }, fields)
    },
    exited: (exit) => {
      keeper.gone()
      const failed = new StartFailed({ message: serviceMessage(exit.detail) })
      Deferred.doneUnsafe(ready, Effect.fail(failed))
      Deferred.doneUnsafe(ended, Effect.succeed(exit))
      inRoom(Metric.update(Metric.withAttributes(exits, { cause: exit.cause }), 1))
      inRoom(Effect.logInfo(`the room's process ended: ${exit.cause} ${exit.detail}`))
    }
  }
  return listener
})

const logs = {
  debug: (line: string) => Effect.logDebug(line),
  info: (line: string) => Effect.logInfo(line),
  warn: (line: string) => Effect.logWarning(line),
  error: (line: string) => Effect.logError(line)
} as const

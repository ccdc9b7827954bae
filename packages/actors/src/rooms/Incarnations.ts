import { LogIngest } from "@atrium/domain/logs/LogIngest"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import type { SchemaDescriptor } from "@atrium/wire/schema"
import { Cause, Clock, Context, Deferred, Effect, Exit, Layer, Scope } from "effect"

import { RuleTime } from "../clock/RuleTime.ts"
import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { publicSchema, storedSchema } from "../deployments/StoredSchema.ts"
import { RoomLives } from "../life/RoomLives.ts"
import { RoomLogs } from "../logs/RoomLogs.ts"
import { CapWalls } from "../meters/CapWalls.ts"
import type { Migrator } from "../migrations/Migrator.ts"
import { quarantines } from "../migrations/StatePath.ts"
import type { Exit as RoomExit } from "../process/ExitCause.ts"
import { Peeks } from "../process/Peeks.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import type { RoomNeeds } from "../process/RoomNeeds.ts"
import type { RoomProcess } from "../process/RoomProcess.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { RelayPorts } from "../relay/RelayPort.ts"
import { RelayRoom } from "../relay/RelayRoom.ts"
import type { LiveReplays } from "../replay/LiveReplays.ts"
import type { ReplayStore } from "../replay/ReplayStore.ts"
import { type IncarnationReplays, makeRoomReplays } from "../replay/RoomReplays.ts"
import {
  type ServerWaking,
  StartFailed,
  type StartOrder,
  StoreAway
} from "../servers/ServerProtocol.ts"
import { RandomHex } from "../store/Secrets.ts"
import { isStoreAway, isStoreFailure } from "../store/StoreFailure.ts"
import { untilBack } from "../store/StoreRetry.ts"
import { makeFactWrites } from "./FactWrites.ts"
import type { IncarnationStart } from "./IncarnationStart.ts"
import { type LoadedRoom, loadRoom } from "./LoadRoom.ts"
import type { PlayerFields } from "./PlayerFields.ts"
import type { Readable } from "./ReadableState.ts"
import { RoomCalls } from "./RoomCalls.ts"
import { RoomFiles } from "./RoomFiles.ts"
import type { RoomGate } from "./RoomGate.ts"
import { makeRoomListener } from "./RoomListener.ts"
import { RoomLobby } from "./RoomLobby.ts"
import { Fenced } from "./RoomObjects.ts"
import type { RoomStore } from "./RoomStore.ts"
import { makeSnapshotKeeper } from "./SnapshotKeeper.ts"
import type { SaveReason } from "./SnapshotMachine.ts"
import { isOfCode } from "./StartRefusal.ts"
import { Stays, unheld } from "./Stays.ts"

/** Why a room does not start. Only `StartFailed` is the room's own fault. */
export type StartRefusal = StartFailed | ServerWaking | StoreAway

/** One process of a room, from its start to its end. */
export interface Incarnation {
  readonly order: StartOrder
  readonly deployed: DeployedType
  /** It runs no code. */
  readonly relay: boolean
  /** The room is a branch: it stays on the version of its save, and its clock stands. */
  readonly isBranch: boolean
  /** The type's descriptor, its keys in the order that the schema's hash is made of. */
  readonly schema: SchemaDescriptor
  /** Its type declares fields that are kept of players. */
  readonly keepsPlayers: boolean
  /** The version since which players are stored as the room reads and writes them. */
  readonly playersSince: number
  readonly process: RoomProcess
  /** Something of the room was stored before it started. */
  readonly stored: boolean
  /** What the public registry shows of the room. */
  readonly lobby: RoomLobby
  /** What the room records of itself; `null` = its type declares no replay. */
  readonly replays: IncarnationReplays | null
  /** Stores the last state; false = it could not be stored. No change is made after it. */
  readonly drain: Effect.Effect<boolean>
  /** Waits for what the room has told beside its state; false = not all of it is stored. */
  readonly factsStored: Effect.Effect<boolean>
  /** How old the stored state is compared with the room, or with the end of its process. */
  readonly staleMs: () => number
  /** Calls back with the state of now, in the form of a snapshot; `null` = the process has ended, or it is too large. */
  readonly peek: (then: (state: Uint8Array | null) => void) => void
  /** The store refused a write, as a later incarnation of the room has begun. */
  readonly superseded: () => boolean
  /** Resolves when the process has ended, with the cause. */
  readonly ended: Effect.Effect<RoomExit>
}

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
    ): Effect.Effect<Incarnation, StartRefusal, Scope.Scope>
  }
>()("@atrium/actors/rooms/Incarnations") {
  static readonly layer = Layer.effect(
    Incarnations,
    Effect.gen(function* () {
      // Without the layer's own scope: an incarnation ends with its caller's, not with the service.
      const parts = Context.omit(Scope.Scope)(
        yield* Effect.context<
          | CapWalls
          | DeploymentStore
          | LiveReplays
          | ReplayStore
          | Migrator
          | RoomFiles
          | RoomStore
          | PlayerFields
          | ProcessPool
          | ProjectStore
          | RoomCalls
          | RoomLogs
        >()
      )
      const ingests = new Map<string, LogIngest>()
      const ingestOf = (projectId: string): LogIngest => {
        const known = ingests.get(projectId) ?? new LogIngest()
        ingests.set(projectId, known)
        return known
      }
      return {
        start: (key, order, gate) =>
          startOrStay({ key, order, gate, ingest: ingestOf(key.projectId) }).pipe(
            Effect.catchCause(startRefusal),
            Effect.annotateLogs({ project: key.projectId, room: key.roomId, epoch: order.epoch }),
            Effect.provideContext(parts)
          )
      }
    })
  )
}

/** A store that fails says nothing of the room: only what was read and is unusable is its fault. */
const startRefusal = (
  cause: Cause.Cause<StartFailed | ServerWaking>
): Effect.Effect<never, StartRefusal> => {
  if (!Cause.hasDies(cause)) return Effect.failCause(cause)
  if (isStoreAway(cause)) return Effect.fail(new StoreAway())
  const refused = isStoreFailure(cause)
    ? new StoreAway()
    : new StartFailed({ message: "the room's stored state or code could not be read" })
  return Effect.andThen(
    Effect.logError("a room could not be started", cause),
    Effect.fail<StartRefusal>(refused)
  )
}

/** Starts the room as ordered; if its state does not fit that version, on the version of its state. */
const startOrStay = (start: IncarnationStart) =>
  startScoped(start).pipe(
    Effect.catchTag("Stays", ({ version, why }) =>
      Effect.gen(function* () {
        const { key, order } = start
        const steps = yield* (yield* DeploymentStore).steps(key.projectId, order.version)
        const isClosed = quarantines(steps, { from: version, to: order.version })
        const line = `the room stays on version ${version}${isClosed ? ", in quarantine" : ""}, as ${why}`
        const logs = yield* RoomLogs
        logs.say(key, "warn", line)
        const lives = yield* RoomLives
        lives.note(key, { kind: "stayed", version, from: order.version, detail: why })
        yield* Effect.logInfo(line)
        if (isClosed) return yield* quarantinedAt(order.version)
        return yield* startScoped({ ...start, order: { ...order, version } }).pipe(
          // A version always reads the states that it wrote.
          Effect.catchTag("Stays", Effect.die)
        )
      })
    )
  )

const quarantinedAt = (version: number) =>
  new StartFailed({
    message: `the room is in quarantine: version ${version} does not lead its state on`,
    quarantined: version
  })

/** What an incarnation holds goes when its start fails, and else with the scope of the caller. */
const startScoped = Effect.fnUntraced(function* (start: IncarnationStart) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  return yield* startIncarnation(start).pipe(
    Scope.provide(scope),
    Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
  )
})

const startIncarnation = Effect.fn("Room.start")(function* (start: IncarnationStart) {
  const { key, order } = start
  const room = yield* loadRoom(start)
  const processes = yield* ProcessPool
  const ready = yield* Deferred.make<void, StartFailed | ServerWaking>()
  const ended = yield* Deferred.make<RoomExit>()
  let taken: RoomProcess | null = null
  let superseded = false
  const facts = yield* makeFactWrites(start, room.since)
  const keeper = yield* makeSnapshotKeeper({
    request: (requestId, final) => taken?.requestSnapshot(requestId, { final }),
    store: yield* storing(start, storedSchema(room.deployed).hash, () => {
      superseded = true
      taken?.kill("stopped")
    }),
    factsStored: facts.stored,
    storageWall: storageWallOf(yield* CapWalls, key.projectId),
    answer: (...answer) => taken?.saved(...answer),
    flooded: () => taken?.kill("flood")
  })
  const registry = new RoomLobby(room.lobby, facts.lobby)
  const known = factsOf(room)
  const recorded = { key, order, schema: known.schema, footage: () => taken?.footage }
  const records = !room.isInert && room.deployed.replay !== undefined
  const replays = records ? yield* makeRoomReplays(recorded) : undefined
  const peeks = new Peeks((requestId) => taken?.peek(requestId))
  const listener = yield* makeRoomListener(start, {
    keeper,
    facts,
    peeks,
    ready,
    ended,
    lobby: registry,
    replays: replays ?? null,
    inert: room,
    call: (yield* RoomCalls).from({ ...key, ...seatOf(order), inert: room.isInert }),
    callAnswered: (callId, answer) => taken?.callAnswered(callId, answer),
    mapStack: (line) => (room.relay === null ? processes.mapStack(room.bundle, line) : line)
  })
  const process =
    room.relay === null
      ? processes.take(listener, needsOf(start, room))
      : new RelayRoom(room.relay, listener, yield* RelayPorts)
  taken = process
  yield* Effect.addFinalizer(() => Effect.sync(() => process.kill("stopped")))
  process.start({
    ...(yield* processStart(start, room)),
    ...(replays && { keepsReplays: true, recording: replays.recording })
  })
  yield* orStays(readyInTime(Deferred.await(ready), process), { order, staysOn: room.staysOn })
  if (room.changed !== null) (yield* RoomLives).note(key, room.changed)
  return {
    order,
    deployed: room.deployed,
    relay: room.relay !== null,
    ...known,
    process,
    stored: room.stored,
    lobby: registry,
    replays: replays ?? null,
    drain: boundedDrain({ drain: keeper.drain, flushed: replays?.flushed, kept: facts.kept }),
    factsStored: Effect.match(facts.stored, { onSuccess: () => true, onFailure: () => false }),
    staleMs: keeper.staleMs,
    peek: (then) => peeks.ask(then),
    superseded: () => superseded,
    ended: Deferred.await(ended)
  } satisfies Incarnation
})

/** The properties of a room by which its process is chosen. */
const needsOf = (
  { key, order }: IncarnationStart,
  { bundle, deployed }: Pick<LoadedRoom, "bundle" | "deployed">
): RoomNeeds => ({
  memoryMiB: RoomClasses[order.class].memoryMiB,
  bundle,
  isDev: key.projectId === "dev",
  physics: deployed.physics !== undefined,
  ...(deployed.sharing === true && {
    shares: {
      room: `${key.projectId}/${key.roomId}`,
      kind: `${key.projectId} ${order.version} ${order.type}`
    }
  })
})

/** What this service reads of rooms, and an older one would refuse. */
const understood = { readsOverruns: true, keepsPeriods: true, takesVoice: true } as const

/** What a client's own runner and its player need to know of the room's type. */
const factsOf = ({ deployed, since: playersSince, isBranch }: LoadedRoom) => {
  const schema = publicSchema(deployed).descriptor
  return { schema, keepsPlayers: schema.player.length > 0, playersSince, isBranch }
}

/** What a process is told of its room. */
const processStart = Effect.fnUntraced(function* (
  { key, order }: IncarnationStart,
  { bundle, snapshot, lobby, alarms, isBranch }: LoadedRoom
) {
  const { isPublic, started, metadata } = lobby
  return {
    projectId: key.projectId,
    roomId: key.roomId,
    type: order.type,
    version: order.version,
    epoch: order.epoch,
    bundle,
    snapshot,
    lobby: { isPublic, started },
    lobbyMetadata: metadata,
    seed: (yield* RandomHex)(16),
    nowMs: yield* Clock.currentTimeMillis,
    // Timers and alarms of a branch do not fire.
    clockRuns: !isBranch && (yield* RuleTime).runs(),
    alarms,
    ...understood
  } as const
})

const readyInTime = <Refusal>(ready: Effect.Effect<void, Refusal>, process: RoomProcess) =>
  Effect.timeoutOrElse(ready, {
    duration: RoomProcessLimits.roomStart.ms,
    orElse: () => {
      process.kill("startTimeout")
      return new StartFailed({ message: "the room's code takes too long to start" })
    }
  })

/** A start that was only tried leaves the room on another version, if it has shown that its code does not take the state. */
const orStays = <Refusal>(
  ready: Effect.Effect<void, Refusal | StartFailed>,
  { order, staysOn }: Pick<IncarnationStart, "order"> & Pick<Readable, "staysOn">
) =>
  Effect.mapError(ready, (refusal) =>
    staysOn !== null && isOfCode(refusal)
      ? new Stays({ version: staysOn, why: unheld(order, refusal.message) })
      : refusal
  )

/** A store that does not say whether there is a wall stores no generation either. */
const storageWallOf = (walls: CapWalls["Service"], projectId: ProjectId) =>
  walls
    .of(projectId, ["storageBytes"])
    .pipe(
      Effect.catchCause((cause) =>
        isStoreAway(cause) ? Effect.succeed(null) : Effect.failCause(cause)
      )
    )

const seatOf = ({ type, version, epoch }: StartOrder) => ({ type, version, epoch })

const isFenced = (cause: Cause.Cause<unknown>): boolean => Cause.squash(cause) instanceof Fenced

/**
 * Stores a state. A store that fails for a moment is asked again: for three seconds, after which callers
 * that wait get their refusal; for the last state until the drain is over. A fence is final: the room runs
 * elsewhere, and what is played here would be lost.
 */
const storing = Effect.fnUntraced(function* (
  { key, order }: IncarnationStart,
  schemaHash: string,
  fenced: () => void
) {
  const files = yield* RoomFiles
  return (state: Uint8Array, generation: SaveReason | null) =>
    files.storeSnapshot(key, state, { at: order, schemaHash, generation }).pipe(
      Effect.sandbox,
      Effect.retry({
        schedule: untilBack,
        ...(generation === "hibernate" ? {} : { times: 5 }),
        while: (cause) => !isFenced(cause)
      }),
      Effect.tapError((cause) => (isFenced(cause) ? Effect.sync(fenced) : Effect.void)),
      Effect.catch((cause) => Effect.failCause(cause))
    )
})

interface Draining {
  readonly drain: Effect.Effect<boolean>
  /** What the room's replays still write; absent = it has none. */
  readonly flushed: Effect.Effect<void> | undefined
  readonly kept: Effect.Effect<boolean>
}

/** A drain that takes longer than a caller waits for it is one that could not be stored. */
const boundedDrain = ({ drain, flushed = Effect.void, kept }: Draining): Effect.Effect<boolean> =>
  Effect.tap(drain, () => flushed).pipe(
    Effect.flatMap((stored) => Effect.map(kept, (areKept) => stored && areKept)),
    Effect.timeoutOrElse({
      duration: ServiceLimits.drain.ms,
      orElse: () => Effect.succeed(false)
    })
  )

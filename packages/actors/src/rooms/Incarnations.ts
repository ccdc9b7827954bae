import { LogIngest } from "@atrium/domain/logs/LogIngest"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import {
  breakingDifference,
  describe,
  fromDescriptor,
  type SchemaDescriptor
} from "@atrium/wire/schema"
import { Cause, Clock, Context, Deferred, Effect, Layer, Option, Scope } from "effect"

import { RuleTime } from "../clock/RuleTime.ts"
import { type DeployedType, DeploymentStore } from "../deployments/DeploymentStore.ts"
import type { RoomLogs } from "../logs/RoomLogs.ts"
import { CapWalls } from "../meters/CapWalls.ts"
import type { Exit as RoomExit } from "../process/ExitCause.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import type { RoomProcess } from "../process/RoomProcess.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import type { RelayRoomSettings } from "../relay/LiveRelay.ts"
import { RelayPorts } from "../relay/RelayPort.ts"
import { RelayRoom } from "../relay/RelayRoom.ts"
import { relaySeatCaps } from "../relay/RelaySessions.ts"
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
import type { PlayerFields } from "./PlayerFields.ts"
import { RoomCalls } from "./RoomCalls.ts"
import { RoomFiles, type StoredRoom } from "./RoomFiles.ts"
import type { RoomGate } from "./RoomGate.ts"
import { makeRoomListener } from "./RoomListener.ts"
import { type Lobby, RoomLobby } from "./RoomLobby.ts"
import { Fenced } from "./RoomObjects.ts"
import { RoomStore } from "./RoomStore.ts"
import { makeSnapshotKeeper } from "./SnapshotKeeper.ts"
import type { SaveReason } from "./SnapshotMachine.ts"

/** Why a room does not start. Only `StartFailed` is the room's own fault. */
export type StartRefusal = StartFailed | ServerWaking | StoreAway

/** One process of a room, from its start to its end. */
export interface Incarnation {
  readonly order: StartOrder
  readonly deployed: DeployedType
  /** It runs no code. */
  readonly relay: boolean
  /** The type's descriptor, its keys in the order that the schema's hash is made of. */
  readonly schema: SchemaDescriptor
  /** Its type declares fields that are kept of players. */
  readonly keepsPlayers: boolean
  readonly process: RoomProcess
  /** Something of the room was stored before it started. */
  readonly stored: boolean
  /** What the public registry shows of the room. */
  readonly lobby: RoomLobby
  /** Stores the last state; false = it could not be stored. No change is made after it. */
  readonly drain: Effect.Effect<boolean>
  /** Waits for what the room has told beside its state; false = not all of it is stored. */
  readonly factsStored: Effect.Effect<boolean>
  /** How old the stored state is compared with the room, or with the end of its process. */
  readonly staleMs: () => number
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
          startIncarnation({ key, order, gate, ingest: ingestOf(key.projectId) }).pipe(
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

const startIncarnation = Effect.fn("Room.start")(function* (start: IncarnationStart) {
  const { key, order } = start
  const { deployed, relay, bundle, stored, lobby, snapshot } = yield* loadRoom(start)
  const processes = yield* ProcessPool
  const ready = yield* Deferred.make<void, StartFailed | ServerWaking>()
  const ended = yield* Deferred.make<RoomExit>()
  let taken: RoomProcess | null = null
  let superseded = false
  const facts = yield* makeFactWrites(start)
  const keeper = yield* makeSnapshotKeeper({
    request: (requestId, final) => taken?.requestSnapshot(requestId, { final }),
    store: yield* storing(start, deployed.schemaHash, () => {
      superseded = true
      taken?.kill("stopped")
    }),
    factsStored: facts.stored,
    storageWall: storageWallOf(yield* CapWalls, key.projectId),
    answer: (...answer) => taken?.saved(...answer),
    flooded: () => taken?.kill("flood")
  })
  const registry = new RoomLobby(lobby, facts.lobby)
  const listener = yield* makeRoomListener(start, {
    keeper,
    facts,
    ready,
    ended,
    lobby: registry,
    call: (yield* RoomCalls).from({ ...key, ...seatOf(order) }),
    callAnswered: (callId, answer) => taken?.callAnswered(callId, answer),
    mapStack: (line) => (relay === null ? processes.mapStack(bundle, line) : line)
  })
  const { memoryMiB } = RoomClasses[order.class]
  const process =
    relay === null
      ? processes.take(listener, { memoryMiB, bundle, isDev: key.projectId === "dev" })
      : new RelayRoom(relay, listener, yield* RelayPorts)
  taken = process
  yield* Effect.addFinalizer(() => Effect.sync(() => process.kill("stopped")))
  process.start({
    projectId: key.projectId,
    roomId: key.roomId,
    type: order.type,
    version: order.version,
    epoch: order.epoch,
    bundle,
    snapshot,
    ...startLobby(lobby),
    seed: (yield* RandomHex)(16),
    nowMs: yield* Clock.currentTimeMillis,
    clockRuns: (yield* RuleTime).runs(),
    alarms: stored.alarms,
    readsOverruns: true
  })
  yield* readyInTime(Deferred.await(ready), process)
  return {
    order,
    deployed,
    relay: relay !== null,
    schema: provenSchema(deployed),
    keepsPlayers: provenSchema(deployed).player.length > 0,
    process,
    stored: stored.snapshot !== null || stored.alarms.length > 0,
    lobby: registry,
    drain: boundedDrain(keeper.drain, facts.kept),
    factsStored: Effect.match(facts.stored, { onSuccess: () => true, onFailure: () => false }),
    staleMs: keeper.staleMs,
    superseded: () => superseded,
    ended: Deferred.await(ended)
  } satisfies Incarnation
})

const startLobby = ({ isPublic, started, metadata }: Lobby) => ({
  lobby: { isPublic, started },
  lobbyMetadata: metadata
})

const readyInTime = <Refusal>(ready: Effect.Effect<void, Refusal>, process: RoomProcess) =>
  Effect.timeoutOrElse(ready, {
    duration: RoomProcessLimits.roomStart.ms,
    orElse: () => {
      process.kill("startTimeout")
      return new StartFailed({ message: "the room's code takes too long to start" })
    }
  })

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

/** Everything that the process needs and the store has. */
const loadRoom = Effect.fnUntraced(function* ({ key, order }: IncarnationStart) {
  const deployments = yield* DeploymentStore
  const files = yield* RoomFiles
  const rooms = yield* RoomStore
  const wanted = yield* deployedType(key, order)
  const { deployed } = wanted
  const [bundle, stored, row] = yield* Effect.all(
    [
      wanted.relay ? noCode : deployments.bundle(key.projectId, order.version),
      files.load(key, order.version),
      rooms.load(key)
    ],
    { concurrency: 3 }
  )
  const snapshot = yield* readable({ key, order }, wanted, stored)
  const lobby: Lobby = {
    isPublic: row?.isPublic ?? false,
    started: row?.started ?? false,
    metadata: row?.lobbyMetadata ?? null
  }
  const relay = wanted.relay ? yield* relaySettings(key, deployed) : null
  return { deployed, relay, bundle, stored, lobby, snapshot }
})

const noCode = Effect.succeed(new Uint8Array(0))

/** The settings that a relay room keeps while it is up; its seats follow from the project's plan. */
const relaySettings = Effect.fnUntraced(function* (key: RoomKey, deployed: DeployedType) {
  const project = Option.getOrUndefined(yield* (yield* ProjectStore).find(key.projectId))
  const settings: RelayRoomSettings = {
    schema: fromDescriptor(deployed.schema),
    seats: relaySeatCaps(project?.plan ?? "free", deployed.maxClients),
    reconnectForMs: deployed.reconnectForMs
  }
  return settings
})

/**
 * The stored state with the schema that it was written with. State that the code cannot read is left
 * where it is and the room starts cold: a deployment that does this is refused, but in `dev`.
 */
const readable = Effect.fnUntraced(function* (
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  { deployed, relay }: WantedType,
  { snapshot }: StoredRoom
) {
  if (snapshot === null) return null
  const { schema, ...stored } = yield* deployedType(key, snapshot.manifest)
  if (relay || stored.relay) {
    const { manifest } = snapshot
    // A save that was asked for is taken as it is, whatever was deployed since it was made.
    const since = manifest.reason === "restore" ? order.version : manifest.version
    const same =
      relay &&
      stored.deployed.schemaHash === deployed.schemaHash &&
      (yield* sameSince(since, { key, order }, deployed))
    return same && relay === stored.relay ? plainOf(snapshot) : null
  }
  if (stored.deployed.schemaHash === deployed.schemaHash) return plainOf(snapshot)
  const difference = breakingDifference(fromDescriptor(schema), fromDescriptor(deployed.schema))
  if (difference === null) return { bytes: snapshot.state, schema }
  yield* Effect.logWarning(`the room starts cold, as its state cannot be read: ${difference}`)
  return null
})

/**
 * Whether every deployment since a version had this very schema and no code. A room that slept through
 * a deployment with another schema starts anew, too. Spec: Connection and room limits.
 */
const sameSince = Effect.fnUntraced(function* (
  version: number,
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  { type, schemaHash }: DeployedType
) {
  const deployments = yield* DeploymentStore
  const current = yield* deployments.find(key.projectId, order.version)
  const rows =
    version === order.version ? Option.toArray(current) : yield* deployments.list(key.projectId)
  return rows
    .filter((row) => row.version >= version && row.version <= order.version)
    .every(
      ({ relay, roomTypes }) =>
        relay && roomTypes.some((row) => row.type === type && row.schemaHash === schemaHash)
    )
})

interface WantedType {
  readonly deployed: DeployedType
  readonly relay: boolean
}

const plainOf = ({ state }: { readonly state: Uint8Array }) => ({ bytes: state, schema: null })

/** The room type as that version declared it, its descriptor proven to be one. */
const deployedType = Effect.fnUntraced(function* (
  key: RoomKey,
  wanted: { readonly type: string; readonly version: number }
) {
  const deployments = yield* DeploymentStore
  const deployment = yield* deployments.find(key.projectId, wanted.version)
  const version = Option.getOrUndefined(deployment)
  const found = version?.roomTypes.find((candidate) => candidate.type === wanted.type)
  if (found === undefined) {
    return yield* Effect.die(new Error(`version ${wanted.version} has no type ${wanted.type}`))
  }
  return { deployed: found, schema: provenSchema(found), relay: version?.relay === true }
})

const proven = new WeakMap<DeployedType, SchemaDescriptor>()

/** Once per row that was read: rooms wake often, and the proof takes longer than reading their state. */
const provenSchema = (deployed: DeployedType): SchemaDescriptor => {
  const schema = proven.get(deployed) ?? describe(fromDescriptor(deployed.schema))
  proven.set(deployed, schema)
  return schema
}

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

/** A drain that takes longer than a caller waits for it is one that could not be stored. */
const boundedDrain = (
  drain: Effect.Effect<boolean>,
  kept: Effect.Effect<boolean>
): Effect.Effect<boolean> =>
  Effect.flatMap(drain, (stored) => Effect.map(kept, (areKept) => stored && areKept)).pipe(
    Effect.timeoutOrElse({
      duration: ServiceLimits.drain.ms,
      orElse: () => Effect.succeed(false)
    })
  )

import { createHash } from "node:crypto"

import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import { isProjectId, isRoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { SchemaDescriptor } from "@atrium/wire/schema"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { publicSchema, storedSchema } from "../deployments/StoredSchema.ts"
import { Links } from "../link/Links.ts"
import { RunnerAnswers } from "../link/RunnerAnswers.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Packing } from "../objects/Packing.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import type { Incarnation } from "../rooms/Incarnations.ts"
import { newestSnapshot, roomPrefix } from "../rooms/RoomObjects.ts"
import { placeOf } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"

/** The question of one runner to another for the state of a room that is awake there. */
const question = "inspect.state"

/** The state of a room at a moment, in the form of a save. */
export interface StateLook {
  /** It is of the awake room; else of its newest snapshot. */
  readonly live: boolean
  readonly atMs: number
  readonly type: string
  readonly version: number
  readonly bytes: number
  /** Tells one state from another. */
  readonly hash: string
  /** `null` = it is that of the hash that the caller knows, or over its limit. */
  readonly state: Uint8Array | null
}

/** The descriptor of a state, hidden parts included. */
export interface StateSchema {
  readonly schema: Schema.Json
  readonly schemaHash: string
  /** The names of the singletons and collections that no client is told of. */
  readonly hidden: ReadonlyArray<string>
}

const Asked = Schema.Struct({
  project: Schema.String,
  room: Schema.String,
  known: Schema.NullOr(Schema.String)
})
const decodeAsked = Schema.decodeUnknownEffect(Asked)
const decodeLook = Schema.decodeUnknownEffect(
  Schema.NullOr(
    Schema.Struct({
      live: Schema.Boolean,
      atMs: Schema.Number,
      type: Schema.String,
      version: Schema.Int,
      bytes: Schema.Int,
      hash: Schema.String,
      state: Schema.NullOr(Schema.Uint8Array)
    })
  )
)

/**
 * The state of rooms for somebody who looks, wherever they are awake. A look is no client, and leaves no trace in the
 * room. Source: C-770.
 */
export class RoomStates extends Context.Service<
  RoomStates,
  {
    /**
     * @param known the hash of the state that the caller has; its bytes are not told again
     * @returns `null` = there is neither an awake room nor stored state
     */
    look(key: RoomKey, known: string | null): Effect.Effect<StateLook | null>
    /** What the state of a type in a version is written with; `null` = there is no such type. */
    schemaOf(
      key: RoomKey,
      of: Pick<StateLook, "type" | "version">
    ): Effect.Effect<StateSchema | null>
  }
>()("@atrium/actors/inspect/RoomStates") {
  static readonly layer = Layer.effect(
    RoomStates,
    Effect.gen(function* () {
      const deployments = yield* DeploymentStore
      const here = yield* makeHere
      const elsewhere = yield* makeElsewhere
      const stored = yield* makeStored
      yield* answering(here)

      const look = Effect.fn("RoomStates.look")(function* (key: RoomKey, known: string | null) {
        return (
          (yield* here(key, known)) ?? (yield* elsewhere(key, known)) ?? (yield* stored(key, known))
        )
      })

      const schemaOf = Effect.fn("RoomStates.schemaOf")(function* (
        { projectId }: RoomKey,
        of: Pick<StateLook, "type" | "version">
      ) {
        const deployment = Option.getOrNull(yield* deployments.find(projectId, of.version))
        const found = deployment?.roomTypes.find(({ type }) => type === of.type)
        if (found === undefined) return null
        // The schema of a save, hidden state included: the reader is the project's owner.
        const { descriptor, hash } = storedSchema(found)
        const shown = new Set(namesIn(publicSchema(found).descriptor))
        const hidden = namesIn(descriptor).filter((name) => !shown.has(name))
        return { schema: asJson(descriptor), schemaHash: hash, hidden }
      })

      return { look, schemaOf }
    })
  )
}

const namesIn = ({ singletons, entities }: SchemaDescriptor): ReadonlyArray<string> =>
  [...singletons, ...entities].map(({ name }) => name)

/** A descriptor is plain data. */
const asJson = Schema.decodeUnknownSync(Schema.Json)

type LookHere = (key: RoomKey, known: string | null) => Effect.Effect<StateLook | null>

/** Answers other runners. */
const answering = (here: LookHere) =>
  Effect.gen(function* () {
    const answers = yield* RunnerAnswers
    yield* answers.add(question, (input) =>
      Effect.map(Effect.orDie(decodeAsked(input)), ({ project, room, known }) =>
        isProjectId(project) && isRoomId(room)
          ? here({ projectId: project, roomId: room }, known)
          : Effect.succeed(null)
      )
    )
  })

/** The state of a room that is awake on this runner. */
const makeHere = Effect.map(AwakeRooms, (awake): LookHere =>
  Effect.fnUntraced(function* (key, known) {
    const room = awake.find(key)
    const incarnation = room?.incarnation() ?? null
    if (room === undefined || incarnation === null || room.gate.lapsed) return null
    const state = yield* peeked(incarnation)
    if (state === null) return null
    const { type, version } = incarnation.order
    const atMs = yield* Clock.currentTimeMillis
    return lookOf(state, { live: true, atMs, type, version }, known)
  })
)

/** `null` = the process says nothing: it hangs, has ended, or its state is over the limit. */
const peeked = ({ peek }: Incarnation): Effect.Effect<Uint8Array | null> =>
  Effect.callback<Uint8Array | null>((resume) =>
    peek((state) => resume(Effect.succeed(state)))
  ).pipe(
    Effect.timeoutOrElse({
      duration: InspectLimits.peek.ms,
      orElse: () => Effect.succeed(null)
    })
  )

/** The state of a room that is awake on another runner; `null` = that runner does not answer. */
const makeElsewhere = Effect.gen(function* () {
  const rooms = yield* RoomStore
  const links = yield* Links
  return Effect.fnUntraced(function* (key: RoomKey, known: string | null) {
    const at = placeOf((yield* rooms.load(key))?.state ?? { _tag: "Absent" })
    if (at === null) return null
    const server = { projectId: key.projectId, index: at.serverIndex }
    const address = yield* Effect.catchCause(links.addressOf(server), () => Effect.succeed(null))
    if (address === null) return null
    const input = { project: key.projectId, room: key.roomId, known }
    const told = yield* Effect.gen(function* () {
      const asked = yield* links.ask(address, { name: question, input })
      return yield* Effect.orDie(decodeLook(yield* asked.next(InspectLimits.peek.ms)))
    }).pipe(
      Effect.scoped,
      Effect.catchTag("RunnerSilent", () => Effect.succeed(null))
    )
    if (told === null) links.forget(server)
    return told
  })
})

/** The newest snapshot of a room. */
const makeStored = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const packing = yield* Packing
  return Effect.fnUntraced(function* (key: RoomKey, known: string | null) {
    const newest = newestSnapshot(key, yield* objects.list(roomPrefix(key)))
    if (newest === null) return null
    const { type, version, takenAtMs: atMs, epoch, stateBytes } = newest.manifest
    const about = { live: false, atMs, type, version }
    // It is not read again to learn that it is the same.
    const mark = `${epoch} ${atMs} ${stateBytes}`
    if (known === mark || stateBytes > InspectLimits.liveStateBytes.max) {
      return { ...about, bytes: stateBytes, hash: mark, state: null }
    }
    const packed = Option.getOrNull(yield* objects.get(newest.entry.key))
    if (packed === null) return null
    const state = yield* packing.unpack(packed, RuntimeLimits.snapshotBytes.max)
    return { ...about, bytes: state.length, hash: mark, state }
  })
})

type About = Pick<StateLook, "live" | "atMs" | "type" | "version">

/** @param known the hash of the state that the caller has */
export const lookOf = (state: Uint8Array, about: About, known: string | null): StateLook => {
  const bytes = state.length
  // Of a state that is not shown nothing but its size is told: it is not hashed on the service's own thread.
  if (bytes > InspectLimits.liveStateBytes.max) {
    return { ...about, bytes, hash: `over ${bytes}`, state: null }
  }
  const hash = createHash("sha256").update(state).digest("base64url")
  return { ...about, bytes, hash, state: hash === known ? null : state }
}

import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import {
  type NotReady,
  RoomExists,
  RoomInUse,
  type RoomNotFound,
  SaveNotFound
} from "@atrium/domain/shared/Refusal"
import { Cause, Context, Effect, Layer, Option } from "effect"

import { livesBefore, oldRunner, OtherRunners } from "../cluster/OtherRunners.ts"
import { inertSince } from "../cluster/RunnerProtocol.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { RoomLives } from "../life/RoomLives.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import {
  RoomObjects,
  roomPrefix,
  saveKey,
  snapshotKey,
  type StoredSave
} from "../rooms/RoomObjects.ts"
import { Rooms } from "../rooms/Rooms.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { RoomSaves } from "../saves/RoomSaves.ts"

/** A save of a room, and the id of the room that is made from it. */
export interface BranchAsked {
  readonly source: RoomKey
  readonly saveId: string
  readonly as: RoomKey
}

/** Rooms made from saves of others, to look at what went wrong without touching it. Source: D-58. */
export class Branches extends Context.Service<
  Branches,
  {
    make(
      asked: BranchAsked
    ): Effect.Effect<RoomDetail, RoomNotFound | SaveNotFound | RoomExists | RoomInUse | NotReady>
    isBranch(room: RoomKey): Effect.Effect<boolean>
    /** Fails while an older runner lives, which would let everybody into an inert room. */
    readonly kept: Effect.Effect<void, NotReady>
  }
>()("@atrium/actors/branches/Branches") {
  static readonly layer = Layer.effect(
    Branches,
    Effect.gen(function* () {
      const rooms = yield* Rooms
      const rows = yield* RoomStore
      const saves = yield* RoomSaves
      const objects = yield* ObjectStore
      const deployments = yield* DeploymentStore
      const store = yield* makeStore
      const others = yield* OtherRunners

      const kept = Effect.gen(function* () {
        if (yield* livesBefore(others, inertSince)) return yield* oldRunner
      })

      const make = Effect.fn("Branches.make")(function* ({ source, saveId, as }: BranchAsked) {
        yield* kept
        yield* rooms.read(source)
        const current = Option.getOrNull(yield* deployments.current(source.projectId))
        if (current?.relay === true) return yield* keepsNoState
        const save = yield* saves.find(source, saveId)
        if (save === null) return yield* noSuchSave
        // A room may have stored state and no row.
        if ((yield* objects.list(roomPrefix(as))).length > 0) return yield* taken
        yield* store({ source, as, save })
        return yield* rooms.read(as)
      })

      const isBranch = Effect.fn("Branches.isBranch")(function* (room: RoomKey) {
        const row = yield* rows.load(room)
        return row !== null && row.branch !== null
      })

      return { make, isBranch, kept }
    })
  )
}

interface Storing {
  readonly source: RoomKey
  readonly as: RoomKey
  readonly save: StoredSave
}

/** Adds the row of a branch, and then its state, as the room's first incarnation would. */
const makeStore = Effect.gen(function* () {
  const rows = yield* RoomStore
  const objects = yield* ObjectStore
  const roomObjects = yield* RoomObjects
  const deployments = yield* DeploymentStore
  const lives = yield* RoomLives

  return Effect.fnUntraced(function* ({ source, as, save: { saveId, manifest } }: Storing) {
    const { type, class: ofClass, version } = manifest
    const bytes = Option.getOrNull(yield* objects.get(saveKey(source, { version, saveId })))
    if (bytes === null) return yield* noSuchSave
    const deployed = Option.getOrNull(yield* deployments.find(source.projectId, version))
    const declared = deployed?.roomTypes.find((candidate) => candidate.type === type)
    const epoch = yield* rows.claimEpoch
    const branch = { version, roomId: source.roomId, saveId }
    const maxClients = declared?.maxClients ?? 0
    const snapshot = {
      key: snapshotKey(as, version),
      bytes,
      manifest: { ...manifest, epoch, kind: "snapshot", reason: "restore" }
    }
    // State without a row is that of an ordinary room: it goes first.
    const undo = Effect.andThen(
      objects.delete([snapshot.key]),
      rows.save(as, { ...goneAgain, after: 1 })
    )
    const stored = Effect.gen(function* () {
      const added = yield* rows.addBranch(as, { type, class: ofClass, maxClients, epoch, branch })
      if (!added) return yield* taken
      yield* roomObjects.put([snapshot], { ...as, epoch }).pipe(
        // Nothing was written then, and what has the id is not ours.
        Effect.onError((cause) => (Cause.hasFails(cause) ? Effect.void : undo)),
        // Another request deleted or woke the room before its state was stored.
        Effect.catchTag("Fenced", () => taken)
      )
    })
    yield* Effect.uninterruptible(stored)
    lives.note(as, { kind: "restored", saveId, version, detail: `a branch of ${source.roomId}` })
  })
})

const goneAgain = { state: { _tag: "Absent" }, facts: null, reported: false } as const

const keepsNoState = new RoomInUse({ message: "rooms of a relay project have no state to branch" })
const noSuchSave = new SaveNotFound({ message: "no such save" })
const taken = new RoomExists({ message: "a room has this id: choose another one" })

import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RestoreQueued, RoomDetail, Save } from "@atrium/domain/rooms/RoomsApi"
import { isRoomId, type ProjectId, type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import {
  type BranchRefused,
  type EvictFailed,
  type RoomInUse,
  RoomNotFound,
  type RoomStarted,
  SaveNotFound,
  TenantWaking
} from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Option } from "effect"

import { answeredOr } from "../cluster/ActorAnswer.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { RoomSaves } from "../saves/RoomSaves.ts"
import { untimed } from "../store/AnswerTime.ts"
import { RoomList } from "./RoomList.ts"
import type { ListChanges, LobbyRow, RoomFilter } from "./RoomLists.ts"
import { roomPrefix } from "./RoomObjects.ts"
import { RoomActor } from "./RoomProtocol.ts"
import type { ShownRoom } from "./RoomRows.ts"
import type { RoomSettings } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"
import { roomDetail, type RoomKnown, savesOf } from "./RoomView.ts"

/** A room as the API names it. A malformed id answers like an unknown one. Source: D-05. */
export interface RoomName {
  readonly projectId: ProjectId
  readonly roomId: string
}

/** Changes of a list, and how a line of it becomes JSON. */
export interface ChangedList extends ListChanges {
  readonly json: (line: string) => string
}

/** The bytes of a generation, which never change. */
export interface SaveBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** The rooms of projects as the management API sees them: reads from the stores, changes by the actors. */
export class Rooms extends Context.Service<
  Rooms,
  {
    list(projectId: ProjectId, filter: RoomFilter): Effect.Effect<RoomList>
    /** What has become of the same list since a mark; `null` = since ever. */
    changes(
      projectId: ProjectId,
      filter: RoomFilter,
      mark: string | null
    ): Effect.Effect<ChangedList>
    lobby(projectId: ProjectId): Effect.Effect<ReadonlyArray<LobbyRow>>
    read(room: RoomName): Effect.Effect<RoomDetail, RoomNotFound>
    set(
      room: RoomName,
      settings: RoomSettings
    ): Effect.Effect<RoomDetail, RoomNotFound | RoomStarted | BranchRefused | TenantWaking>
    /** @returns how many stored objects were removed */
    delete(
      room: RoomName,
      how: { readonly force: boolean }
    ): Effect.Effect<number, RoomNotFound | RoomInUse | EvictFailed | TenantWaking>
    saves(room: RoomName): Effect.Effect<ReadonlyArray<Save>, RoomNotFound>
    saveBytes(room: RoomName, saveId: string): Effect.Effect<SaveBytes, RoomNotFound | SaveNotFound>
    restore(
      room: RoomName,
      saveId: string
    ): Effect.Effect<typeof RestoreQueued.Type, RoomNotFound | SaveNotFound | TenantWaking>
  }
>()("@atrium/actors/rooms/Rooms") {
  static readonly layer = Layer.effect(
    Rooms,
    Effect.gen(function* () {
      const rooms = yield* RoomStore
      const deployments = yield* DeploymentStore
      const reads = yield* makeReads
      const actorOf = yield* RoomActor.client
      const actor = (room: RoomName) => Effect.map(keyOf(room), (key) => actorOf(roomKeyText(key)))

      /** Lines of the project's rooms, as the current deployment keeps them. */
      const listOf = Effect.fnUntraced(function* (projectId: ProjectId, lines: string) {
        const deployment = Option.getOrNull(yield* deployments.current(projectId))
        const types = deployment?.roomTypes ?? []
        const declared = new Map(types.map(({ type, retention }) => [type, retention]))
        return new RoomList(lines, { projectId, declared })
      })

      const list = Effect.fn("Rooms.list")(function* (projectId: ProjectId, filter: RoomFilter) {
        return yield* listOf(projectId, yield* rooms.list(projectId, filter))
      })

      const changes = Effect.fn("Rooms.changes")(function* (
        projectId: ProjectId,
        filter: RoomFilter,
        mark: string | null
      ) {
        const changed = yield* rooms.changes(projectId, filter, mark)
        const lines = yield* listOf(projectId, "")
        return { ...changed, json: (line: string) => lines.json(line) }
      })

      const set = Effect.fn("Rooms.set")(function* (room: RoomName, settings: RoomSettings) {
        yield* Effect.flatMap(actor(room), (it) => answered(it.Set(settings)))
        return yield* reads.read(room)
      })

      const remove = Effect.fn("Rooms.delete")(function* (
        room: RoomName,
        { force }: { readonly force: boolean }
      ) {
        const { objects } = yield* Effect.flatMap(actor(room), (it) =>
          untimed(answeredDelete(it.Delete({ force })))
        )
        return objects
      })

      const restore = Effect.fn("Rooms.restore")(function* (room: RoomName, saveId: string) {
        yield* Effect.flatMap(actor(room), (it) => answered(it.Restore({ saveId })))
        const queuedAt = isoOf(yield* Clock.currentTimeMillis)
        return { roomId: room.roomId, saveId, status: "queued" as const, queuedAt }
      })

      return { ...reads, list, changes, lobby: rooms.lobby, set, delete: remove, restore }
    })
  )
}

/** The reads of one room: one listing of its objects each. */
const makeReads = Effect.gen(function* () {
  const rooms = yield* RoomStore
  const objects = yield* ObjectStore
  const saved = yield* RoomSaves

  const detailOf = detailsWith(yield* DeploymentStore)

  const known = Effect.fnUntraced(function* (room: RoomName) {
    const key = yield* keyOf(room)
    const [shown, entries] = yield* Effect.all([rooms.show(key), objects.list(roomPrefix(key))], {
      concurrency: 2
    })
    const detail = yield* detailOf(key, { ...shown, entries })
    if (detail === null) return yield* notThere
    return { key, entries, detail }
  })

  const read = Effect.fn("Rooms.read")((room: RoomName) =>
    Effect.map(known(room), ({ detail }) => detail)
  )

  const saves = Effect.fn("Rooms.saves")((room: RoomName) =>
    Effect.map(known(room), ({ key, entries }) => savesOf(key, entries))
  )

  const saveBytes = Effect.fn("Rooms.saveBytes")(function* (room: RoomName, saveId: string) {
    const { key, entries } = yield* known(room)
    const save = savesOf(key, entries).find((one) => one.saveId === saveId)
    if (save === undefined) return yield* noSuchSave
    const bytes = yield* saved.bytes(key, save)
    return bytes === null ? yield* noSuchSave : { bytes, etag: `"${saveId}"` }
  })

  return { read, saves, saveBytes }
})

/** @returns reads a room from what the store has of it; `null` = neither row nor stored state */
export const detailsWith =
  (deployments: Pick<DeploymentStore["Service"], "find">) =>
  (
    key: RoomKey,
    { row, currentVersion, entries }: ShownRoom & Pick<RoomKnown, "entries">
  ): Effect.Effect<RoomDetail | null> =>
    Effect.gen(function* () {
      // A deployment never changes, so it is read once.
      const deployment =
        currentVersion === null
          ? null
          : Option.getOrNull(yield* deployments.find(key.projectId, currentVersion))
      const types = deployment?.roomTypes ?? []
      const declared = (type: string) => types.find((row) => row.type === type) ?? null
      const nowMs = yield* Clock.currentTimeMillis
      return roomDetail({ key, row, entries, declared, nowMs })
    })

const notThere = new RoomNotFound({ message: "no such room" })
const noSuchSave = new SaveNotFound({ message: "no such save" })

const keyOf = ({ projectId, roomId }: RoomName): Effect.Effect<RoomKey, RoomNotFound> =>
  isRoomId(roomId) ? Effect.succeed({ projectId, roomId }) : Effect.fail(notThere)

const silent = new TenantWaking({ message: "the room's actor does not answer" })
const answered = answeredOr(silent)
/** A forced delete waits for the room's server before it asks the store. Source: D-20. */
const answeredDelete = answeredOr(silent, RoomLimits.evict.ms + HttpLimits.httpAnswer.ms)

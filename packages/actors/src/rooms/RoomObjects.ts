import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import type { ObjectEntry, Put } from "../objects/ObjectRows.ts"
import {
  deleteInMemory,
  listInMemory,
  objectTable,
  ObjectStore,
  placeAll,
  putInMemory
} from "../objects/ObjectStore.ts"
import { insertingBy, underPrefix } from "../objects/SqlObjects.ts"
import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { roomTable, rowKey } from "./MemoryRoomTable.ts"

/** Only the room's living incarnation may write: its epoch is the one in the room's row. */
export interface Fence extends RoomKey {
  readonly epoch: number
}

/** An incarnation that no longer holds the room tried to write. Nothing was written. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly fence: Fence }> {}

/** What is stored of rooms: those that have a snapshot, and all save generations. */
export interface StoredCount {
  readonly rooms: number
  readonly saves: number
}

/** Writes of a room's objects, fenced by the epoch in the room's row. A failing store is a defect. */
export class RoomObjects extends Context.Service<
  RoomObjects,
  {
    /** Stores all of these objects, or none of them. */
    put(objects: ReadonlyArray<Put>, fence: Fence): Effect.Effect<void, Fenced>
    /** Removes the save generations of a version past the newest that are kept. Spec: Storage limits. */
    prune(key: RoomKey, version: number): Effect.Effect<void>
    /** Counts what a project has stored of rooms of these types. Takes time in proportion to all its objects. */
    count(projectId: ProjectId, types: ReadonlyArray<string>): Effect.Effect<StoredCount>
  }
>()("@atrium/actors/rooms/RoomObjects") {
  static readonly layerSql = Layer.effect(
    RoomObjects,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = insertingBy(sql, yield* PgClient.PgClient)
      const store = yield* ObjectStore

      const put = Effect.fn("RoomObjects.put")(function* (
        objects: ReadonlyArray<Put>,
        fence: Fence
      ) {
        const placed = yield* placeAll(store, objects)
        const storedAtMs = yield* Clock.currentTimeMillis
        // The row lock keeps a new incarnation from starting between this check and the write.
        const [written] = yield* Effect.orDie(sql<{ readonly held: boolean }>`
          with held as materialized (
            select 1 from rooms
            where project_id = ${fence.projectId} and room_id = ${fence.roomId}
              and epoch = ${fence.epoch}
            for share
          ), stored as (${insert(placed, { storedAtMs, from: sql`held cross join` })})
          select exists (select from held) held
        `).pipe(Effect.onError(() => store.discard(placed.map(({ at }) => at))))
        if (written?.held === true) return
        yield* store.discard(placed.map(({ at }) => at))
        return yield* new Fenced({ fence })
      })

      const prune = Effect.fn("RoomObjects.prune")(function* (key: RoomKey, version: number) {
        yield* Effect.orDie(sql`
          delete from objects where key in (
            select key from objects where ${underPrefix(sql, savesPrefix(key, version))}
            order by coalesce((manifest ->> 'epoch')::bigint, 0) desc, stored_at_ms desc,
              key collate "C" desc
            offset ${RoomLimits.saveGenerations.max})`)
      })

      return { put, prune, count: countingIn(sql) }
    })
  )

  static readonly layerMemory = Layer.effect(
    RoomObjects,
    Effect.map(MemoryDatabase, ({ tables, ask }) => ({
      put: (objects, fence) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const held = yield* ask("RoomObjects.put", () => {
            const row = roomTable.rowsIn(tables).get(rowKey(fence))
            if (row?.epoch !== fence.epoch) return false
            putInMemory(tables, objects, nowMs)
            return true
          })
          if (!held) return yield* new Fenced({ fence })
        }),
      prune: (key, version) =>
        ask("RoomObjects.prune", () => {
          const { entries } = listInMemory(tables, savesPrefix(key, version), [])
          deleteInMemory(tables, expiredSaves(entries))
        }),
      count: (projectId, types) =>
        ask("RoomObjects.count", () => countIn([...objectTable.rowsIn(tables)], projectId, types))
    }))
  )
}

const countingIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoomObjects.count")(function* (projectId: ProjectId, types: ReadonlyArray<string>) {
    const [found] = yield* Effect.orDie(sql<StoredCount>`
      select count(distinct split_part(key, '/', 3))
          filter (where manifest ->> 'kind' = 'snapshot')::int as rooms,
        count(*) filter (where manifest ->> 'kind' = 'save')::int as saves
      from objects
      where ${underPrefix(sql, roomsPrefix(projectId))}
        and manifest ->> 'type' = any(${[...types]}::text[])`)
    return found ?? { rooms: 0, saves: 0 }
  })

const countIn = (
  objects: ReadonlyArray<readonly [string, Pick<ObjectEntry, "manifest">]>,
  projectId: ProjectId,
  types: ReadonlyArray<string>
): StoredCount => {
  const rooms = new Set<string>()
  let saves = 0
  for (const [key, { manifest }] of objects) {
    if (!key.startsWith(roomsPrefix(projectId)) || !isSnapshotManifest(manifest)) continue
    if (!types.includes(manifest.type)) continue
    if (manifest.kind === "save") saves++
    else rooms.add(key.split("/")[2] ?? "")
  }
  return { rooms: rooms.size, saves }
}

/**
 * Keys of what is stored about a room. All of it lies under one prefix, so that one listing tells
 * everything about the room: `rooms/<project>/<room>/…`. The version has leading zeros, so that the
 * order of keys is the order of versions.
 */
export const roomPrefix = (key: RoomKey): string => `${roomsPrefix(key.projectId)}${key.roomId}/`

/** Of all rooms of a project. */
export const roomsPrefix = (projectId: ProjectId): string => `rooms/${projectId}/`

const versionText = (version: number): string => String(version).padStart(10, "0")

export const snapshotKey = (key: RoomKey, version: number): string =>
  `${roomPrefix(key)}snapshot/${versionText(version)}`

export const savesPrefix = (key: RoomKey, version: number): string =>
  `${roomPrefix(key)}saves/${versionText(version)}/`

/** Of all versions. */
export const allSavesPrefix = (key: RoomKey): string => `${roomPrefix(key)}saves/`

/** The order of these keys says nothing: the manifests tell which generation is newer. */
export const saveKey = (
  key: RoomKey,
  save: { readonly version: number; readonly saveId: string }
) => `${savesPrefix(key, save.version)}${save.saveId}`

export const alarmKey = (key: RoomKey): string => `${roomPrefix(key)}alarm`

export const bundleKey = (projectId: ProjectId, version: number): string =>
  `bundles/${projectId}/${versionText(version)}`

/** What a snapshot says of itself: enough to wake the room, and to list it without a row. */
export const SnapshotManifest = Schema.Struct({
  kind: Schema.Literals(["snapshot", "save"]),
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  version: Schema.Int,
  schemaHash: Schema.String,
  epoch: Schema.Int,
  /** Why the generation exists; of the snapshot itself `restore` until the room stores the next. */
  reason: Schema.NullOr(Schema.Literals(["interval", "hibernate", "manual", "restore"])),
  /** Moment of the state, Unix milliseconds. */
  takenAtMs: Schema.Int,
  stateBytes: Schema.Int
})
export type SnapshotManifest = typeof SnapshotManifest.Type

const isSnapshotManifest = Schema.is(SnapshotManifest)

/**
 * The room's newest snapshot: that of its latest incarnation, whichever version it ran. Epochs only
 * grow, while a clock may be set back.
 */
export const newestSnapshot = (
  key: RoomKey,
  entries: ReadonlyArray<ObjectEntry>
): { readonly entry: ObjectEntry; readonly manifest: SnapshotManifest } | null => {
  const prefix = `${roomPrefix(key)}snapshot/`
  let newest: { entry: ObjectEntry; manifest: SnapshotManifest } | null = null
  for (const entry of entries) {
    if (!entry.key.startsWith(prefix) || !isSnapshotManifest(entry.manifest)) continue
    if (newest === null || isNewer(entry.manifest, newest.manifest)) {
      newest = { entry, manifest: entry.manifest }
    }
  }
  return newest
}

/** A save generation, as a listing tells of it. */
export interface StoredSave {
  readonly saveId: string
  readonly entry: ObjectEntry
  readonly manifest: SnapshotManifest
}

/** The save generations of all versions, newest first. Spec: Save generation. */
export const storedSaves = (
  key: RoomKey,
  entries: ReadonlyArray<ObjectEntry>
): ReadonlyArray<StoredSave> => {
  const prefix = allSavesPrefix(key)
  const saves: Array<StoredSave> = []
  for (const entry of entries) {
    const { manifest } = entry
    if (!entry.key.startsWith(prefix) || !isSnapshotManifest(manifest)) continue
    saves.push({ saveId: entry.key.slice(entry.key.lastIndexOf("/") + 1), entry, manifest })
  }
  return saves.sort((one, other) => newerFirst(one.entry, other.entry))
}

const isNewer = (one: SnapshotManifest, other: SnapshotManifest): boolean =>
  one.epoch === other.epoch ? one.takenAtMs >= other.takenAtMs : one.epoch > other.epoch

/** Generations of one version past the newest that are kept. Spec: Storage limits. */
export const expiredSaves = (
  entries: ReadonlyArray<ObjectEntry>,
  kept: number = RoomLimits.saveGenerations.max
): ReadonlyArray<string> => {
  return [...entries]
    .sort(newerFirst)
    .slice(kept)
    .map((entry) => entry.key)
}

const newerFirst = (one: ObjectEntry, other: ObjectEntry): number =>
  epochOf(other) - epochOf(one) ||
  other.storedAtMs - one.storedAtMs ||
  (one.key < other.key ? 1 : -1)

const epochOf = ({ manifest }: ObjectEntry): number =>
  isSnapshotManifest(manifest) ? manifest.epoch : 0

import { hash } from "node:crypto"

import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { objectTable } from "../objects/ObjectStore.ts"
import { MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import { roomsPrefix } from "./RoomObjects.ts"

/** A part of a project's rooms. */
export interface RoomsPart {
  /** The last room of the part before; `null` = from the first one on. */
  readonly after: string | null
  /** Only rooms with something that was stored at this moment or later; `null` = all. */
  readonly sinceMs: number | null
}

/** Rooms that are drawn by chance. */
export interface Draw {
  readonly rooms: number
  readonly seed: string
}

/** The rooms of a project that have something stored, in the order of their keys. A failing store is a defect. */
export class StoredRooms extends Context.Service<
  StoredRooms,
  {
    /** Some rooms; none = there are no further ones. */
    page(projectId: ProjectId, part: RoomsPart): Effect.Effect<ReadonlyArray<RoomId>>
    /** So many rooms, or all if there are fewer. Takes time in proportion to all that is stored. */
    draw(projectId: ProjectId, draw: Draw): Effect.Effect<ReadonlyArray<RoomId>>
  }
>()("@atrium/actors/rooms/StoredRooms") {
  static readonly layerSql = Layer.effect(
    StoredRooms,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      page: Effect.fn("StoredRooms.page")(function* (projectId, { after, sinceMs }) {
        const prefix = roomsPrefix(projectId)
        // A key may follow those of the room before only from the character after its slash on.
        const from = after === null ? prefix : `${prefix}${after}0`
        const rows = yield* Effect.orDie(sql<{ readonly room: RoomId }>`
          select split_part(key, '/', 3) as room from objects
          where key ~>=~ ${from} and key ~<~ ${`${prefix.slice(0, -1)}0`}
            and (${sinceMs}::bigint is null or stored_at_ms >= ${sinceMs}::bigint)
          order by key using ~<~ limit ${MigrationLimits.rehearsalPage.max}`)
        return [...new Set(rows.map(({ room }) => room))]
      }),
      draw: Effect.fn("StoredRooms.draw")(function* (projectId, { rooms, seed }) {
        const prefix = roomsPrefix(projectId)
        const rows = yield* Effect.orDie(sql<{ readonly room: RoomId }>`
          select room from (
            select distinct split_part(key, '/', 3) as room from objects
            where key ~>=~ ${prefix} and key ~<~ ${`${prefix.slice(0, -1)}0`}
              and manifest ->> 'kind' = 'snapshot') stored
          order by md5(${seed}::text || room) limit ${rooms}`)
        return rows.map(({ room }) => room).toSorted(byStoredKey)
      })
    }))
  )

  static readonly layerMemory = Layer.effect(
    StoredRooms,
    Effect.map(MemoryDatabase, ({ tables, ask }) => ({
      page: (projectId, { after, sinceMs }) =>
        ask("StoredRooms.page", () =>
          storedIn(tables, projectId, ({ storedAtMs }) => storedAtMs >= (sinceMs ?? 0))
            .filter((room) => after === null || byStoredKey(room, after) > 0)
            .slice(0, MigrationLimits.rehearsalPage.max)
        ),
      draw: (projectId, { rooms, seed }) =>
        ask("StoredRooms.draw", () =>
          storedIn(tables, projectId, ({ manifest }) => manifest["kind"] === "snapshot")
            .toSorted((one, other) => (drawn(seed, one) < drawn(seed, other) ? -1 : 1))
            .slice(0, rooms)
            .toSorted(byStoredKey)
        )
    }))
  )
}

const drawn = (seed: string, room: string): string => hash("md5", seed + room, "hex")

/** The order in which rooms are read: that of their keys, which have a slash after the id. */
export const byStoredKey = (one: string, other: string): number =>
  `${one}/` < `${other}/` ? -1 : one === other ? 0 : 1

interface Stored {
  readonly storedAtMs: number
  readonly manifest: Readonly<Record<string, unknown>>
}

const storedIn = (
  tables: MemoryTables,
  projectId: ProjectId,
  fits: (row: Stored) => boolean
): ReadonlyArray<RoomId> => {
  const prefix = roomsPrefix(projectId)
  const rooms = new Set<RoomId>()
  for (const [key, row] of objectTable.rowsIn(tables)) {
    // An id in a key was one when it was stored.
    if (key.startsWith(prefix) && fits(row)) rooms.add((key.split("/")[2] ?? "") as RoomId)
  }
  return [...rooms].sort(byStoredKey)
}

import { type ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

import { type MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import { isUp, type MemoryRoom, roomsWhere, roomTable, rowKey } from "./MemoryRoomTable.ts"

/** Rooms whose rehearsal failed for a version. */
interface Quarantine {
  readonly projectId: ProjectId
  readonly version: number
  readonly rooms: ReadonlyArray<string>
}

/** The rooms of a project that are in quarantine, or are to be. */
export interface RoomQuarantines {
  /** Rooms that are down and in quarantine since an older version, and the given ones that no quarantine has closed. */
  notLedOn(quarantine: Quarantine): Effect.Effect<ReadonlyArray<RoomKey>>
}

/**
 * Closes the rooms that sleep, within the transaction that makes the version: there is no moment in which it is deployed
 * and they are not listed. A room that is up is tried when it has made way. An actor that knows an older row saves
 * nothing over this one. Source: C-991.
 */
export const quarantineIn =
  (sql: SqlClient.SqlClient) =>
  ({ projectId, version, rooms }: Quarantine) =>
    sql`
      update rooms set status = 'closed', quarantined = ${version}, pruned = false,
        state = jsonb_build_object('_tag', 'Closed', 'type', state ->> 'type',
          'quarantined', ${version}::integer),
        revision = revision + 1
      where project_id = ${projectId} and room_id = any(${[...rooms]}::text[])
        and state ->> '_tag' in ('Hibernated', 'Closed')`

/** The queries of `RoomStore` about rooms in quarantine. */
export const roomQuarantines = (sql: SqlClient.SqlClient): RoomQuarantines => ({
  notLedOn: Effect.fn("RoomStore.notLedOn")(function* ({ projectId, version, rooms }: Quarantine) {
    const found = yield* Effect.orDie(sql<{ readonly room_id: string }>`
      select room_id from rooms
      where project_id = ${projectId} and status in ('hibernated', 'closed')
        and (quarantined < ${version}
          or (quarantined is null and room_id = any(${[...rooms]}::text[])))
      order by room_id collate "C"`)
    return found.map((row) => ({ projectId, roomId: RoomId.make(row.room_id) }))
  })
})

/** The same on the tables in memory. */
export const quarantineInMemory = (
  tables: MemoryTables,
  { projectId, version, rooms }: Quarantine
): void => {
  for (const roomId of rooms) {
    const row = roomTable.rowsIn(tables).get(rowKey({ projectId, roomId: RoomId.make(roomId) }))
    if (row === undefined) continue
    const { state } = row
    if (state._tag !== "Hibernated" && state._tag !== "Closed") continue
    const closed: MemoryRoom = {
      ...row,
      state: { _tag: "Closed", type: state.type, quarantined: version },
      status: "closed",
      quarantined: version,
      pruned: false,
      revision: row.revision + 1
    }
    roomTable.rowsIn(tables).set(rowKey(row.key), closed)
  }
}

export const memoryRoomQuarantines = ({
  tables,
  ask
}: MemoryDatabase["Service"]): RoomQuarantines => ({
  notLedOn: ({ projectId, version, rooms }) =>
    ask("RoomStore.notLedOn", () =>
      roomsWhere(tables, (row) => {
        if (row.key.projectId !== projectId || isUp(row)) return false
        const { quarantined } = row
        return quarantined === null ? rooms.includes(row.key.roomId) : quarantined < version
      }).map(({ key }) => key)
    )
})

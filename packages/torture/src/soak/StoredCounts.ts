import type { DatabaseSession } from "@atrium/api/testing/DatabaseSession"

import type { RoomObjects } from "./LeakJudgement.ts"

/** Rows of every table, the cluster's included. */
export const rowsByTable = async (
  database: DatabaseSession
): Promise<Readonly<Record<string, number>>> => {
  const tables = await database.rows<{ readonly name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
  )
  const counts = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::int as n from ${name}`
  )
  const rows = await database.rows<{ readonly name: string; readonly n: number }>(
    counts.join(" union all ")
  )
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

export const databaseBytes = async (database: DatabaseSession): Promise<number> => {
  const [row] = await database.rows<{ readonly bytes: number }>(
    "select pg_database_size(current_database())::float8 as bytes"
  )
  return row?.bytes ?? 0
}

/** What is stored under `rooms/…`, by room and version. */
export const objectsByRoom = (database: DatabaseSession): Promise<ReadonlyArray<RoomObjects>> =>
  database.rows<RoomObjects>(`
    select split_part(key, '/', 3) "roomId",
      coalesce((manifest ->> 'version')::int, 0) version,
      (count(*) filter (where manifest ->> 'kind' = 'snapshot'))::int snapshots,
      (count(*) filter (where manifest ->> 'kind' = 'save'))::int saves
    from objects where key like 'rooms/%' group by 1, 2 order by 1, 2`)

/** Rooms of which the database says that they sleep. */
export const sleepingRooms = async (database: DatabaseSession): Promise<ReadonlyArray<string>> => {
  const rows = await database.rows<{ readonly room_id: string }>(
    "select room_id from rooms where status = 'hibernated'"
  )
  return rows.map((row) => row.room_id)
}

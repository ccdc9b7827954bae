import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { lineTable } from "./LogStore.ts"

const logs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Partitioned by day. The writer makes a day before it inserts into it: there is no default one.
  yield* sql`create table room_logs (
    project_id text not null,
    room_id text not null,
    line_id bigint not null,
    level smallint not null,
    line bytea not null,
    primary key (project_id, room_id, line_id)
  ) partition by range (line_id)`
  yield* sql`create index room_logs_by_project on room_logs (project_id, line_id)`
})

/** Lines of rooms. */
export const logTables: NounTables = {
  migrations: {
    "0010_logs": { oldest: 5, change: logs }
  },
  purge: [{ table: "room_logs", memory: lineTable.removal(({ projectId }) => projectId) }]
}

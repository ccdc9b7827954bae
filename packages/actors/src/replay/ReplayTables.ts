import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { replayTable } from "./MemoryReplays.ts"
import { replayFolder } from "./ReplayRows.ts"

const replays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table replays (
    replay_id text primary key,
    project_id text not null,
    room_id text not null,
    type text not null,
    version integer not null,
    kind text not null,
    starts_at_ms bigint not null,
    ends_at_ms bigint not null,
    bytes integer not null,
    chunks integer not null,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    epoch bigint not null,
    running boolean not null
  )`
  yield* sql`create index replays_by_project on replays (project_id, created_at_ms desc)`
  yield* sql`create index replays_by_expiry on replays (expires_at_ms)`
  yield* sql`create index replays_running on replays (project_id, room_id) where running`
})

/** Clips and recordings; their chunks are objects. */
export const replayTables: NounTables = {
  migrations: { "0031_replays": { oldest: 5, change: replays } },
  purge: [
    { table: "replays", memory: replayTable.removal(({ projectId }) => projectId) },
    { folder: replayFolder }
  ]
}

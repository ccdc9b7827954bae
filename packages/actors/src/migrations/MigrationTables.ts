import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { rehearsalTable } from "./MemoryRehearsals.ts"
import { rehearsalFolder } from "./RehearsalRow.ts"

const rehearsals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table rehearsals (
    rehearsal_id text primary key,
    project_id text not null,
    state text not null,
    hash text not null,
    base_version integer not null,
    sample jsonb,
    candidate jsonb not null,
    total jsonb not null,
    -- As text: the message of a migration may say what jsonb does not hold.
    progress json not null,
    revision integer not null,
    created_at_ms bigint not null,
    changed_at_ms bigint not null
  )`
  yield* sql`create index rehearsals_by_project on rehearsals (project_id, created_at_ms desc)`
  yield* sql`create index rehearsals_running on rehearsals (created_at_ms) where state = 'running'`
})

/** Rehearsals; the bundles of those that are not over are objects. */
export const migrationTables: NounTables = {
  migrations: { "0034_rehearsals": { oldest: 5, change: rehearsals } },
  purge: [
    {
      table: "rehearsals",
      acts: true,
      memory: rehearsalTable.removal(({ projectId }) => projectId)
    },
    { folder: rehearsalFolder }
  ]
}

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "./NounTables.ts"

const startChecks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table migration_requirements (
    migration_id integer primary key,
    oldest integer not null,
    made_by text not null
  )`
  yield* sql`create table master_key (
    only_row boolean primary key default true check (only_row),
    verifier bytea not null
  )`
})

/** What the service asks of a database before it starts on it. */
export const storeTables: NounTables = {
  migrations: {
    "0006_start_checks": { oldest: 5, change: startChecks }
  },
  purge: []
}

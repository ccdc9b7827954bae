import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"

const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table audit (
    audit_id bigint primary key generated always as identity,
    at_ms bigint not null,
    account_id text,
    project_id text,
    action text not null,
    outcome text not null,
    target text,
    actor text not null,
    address text not null,
    request_id text not null
  )`
  yield* sql`create index audit_by_project on audit (project_id, at_ms desc, audit_id desc)`
  yield* sql`create index audit_by_account on audit (account_id, at_ms desc, audit_id desc)`
  yield* sql`create index audit_by_age on audit (at_ms)`
})

/** The audit log. It outlives the projects in it. */
export const auditTables: NounTables = {
  migrations: {
    "0008_audit": { oldest: 5, change: audit }
  },
  purge: []
}

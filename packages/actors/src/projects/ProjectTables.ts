import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"

const management = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table projects
    add column connections_per_ip_per_min integer,
    add column vm_mem_mib integer,
    add column queues jsonb not null default '{}',
    add column boards jsonb not null default '{}',
    add column origins jsonb not null default '["*"]',
    add column audience_role text,
    add column pre_release boolean not null default false,
    add column deleted_at_ms bigint,
    add column purged_at_ms bigint`
  yield* sql`create index projects_by_account on projects (account_id)`
  yield* sql`create index projects_to_purge on projects (deleted_at_ms)
    where deleted_at_ms is not null and purged_at_ms is null`
  yield* sql`create table caps (
    project_id text not null references projects,
    meter text not null,
    ceiling bigint not null,
    primary key (project_id, meter)
  )`
  yield* sql`create table api_keys (
    key_id text primary key,
    project_id text not null references projects,
    secret_hash bytea not null unique,
    label text not null,
    scopes jsonb not null,
    created_at_ms bigint not null,
    last_used_ms bigint,
    revoked_at_ms bigint,
    minted_as bigint generated always as identity
  )`
  yield* sql`create index api_keys_by_project on api_keys (project_id, created_at_ms, minted_as)`
  yield* sql`alter table deployments add column relay boolean not null default false`
  yield* sql`alter table rooms
    add column retention_ms bigint,
    add column backfill boolean not null default false,
    add column pruned boolean not null default false`
  yield* sql`create index rooms_restoring on rooms (project_id, room_id)
    where state ->> '_tag' in ('Restoring', 'Replacing')`
  yield* sql`create index rooms_by_last_seen on rooms
    (project_id, last_seen_ms desc, room_id collate "C") where not pruned`
})

/** What developers set of a project. The migration also made caps and API keys. */
export const projectTables: NounTables = {
  migrations: {
    "0004_management": { oldest: 4, change: management }
  },
  purge: []
}

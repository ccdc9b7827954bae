import { NodeServices } from "@effect/platform-node"
import { PgMigrator } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The tables of the service. Moments are Unix milliseconds of the service's clock (`…_at_ms`), never
 * the database's: SQL calls no `now()`. A migration that has landed is never edited.
 */
const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table accounts (
    account_id text primary key,
    name text not null,
    created_at_ms bigint not null
  )`
  yield* sql`create table login_tokens (
    token_hash bytea primary key,
    account_id text not null references accounts,
    label text not null,
    created_at_ms bigint not null
  )`
  yield* sql`create table projects (
    project_id text primary key,
    account_id text not null references accounts,
    name text not null,
    plan text not null,
    created_at_ms bigint not null,
    current_version integer
  )`
  yield* sql`create table jwt_secrets (
    project_id text not null references projects,
    kid integer not null,
    created_at_ms bigint not null,
    retires_at_ms bigint,
    primary key (project_id, kid)
  )`
  yield* sql`create table deployments (
    project_id text not null references projects,
    version integer not null,
    bytes integer not null,
    created_at_ms bigint not null,
    room_types jsonb not null,
    primary key (project_id, version)
  )`
})

const rooms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create sequence room_epochs`
  yield* sql`create table rooms (
    project_id text not null,
    room_id text not null,
    state jsonb not null,
    status text not null,
    type text not null,
    class text not null,
    epoch bigint not null,
    slot integer,
    clients integer not null,
    max_clients integer not null,
    is_public boolean not null,
    started boolean not null,
    retention_override text,
    last_seen_ms bigint not null,
    primary key (project_id, room_id)
  )`
  yield* sql`create table objects (
    key text primary key,
    bytes bytea not null,
    manifest jsonb not null,
    stored_at_ms bigint not null
  )`
  // Everything in it is compressed already: a second attempt by PostgreSQL only costs time.
  yield* sql`alter table objects alter column bytes set storage external`
  // A prefix of keys is one range of this index whatever the database's collation is.
  yield* sql`create index objects_by_prefix on objects (key text_pattern_ops)`
  yield* sql`create table alarms (
    project_id text not null,
    room_id text not null,
    due_at_ms bigint not null,
    primary key (project_id, room_id)
  )`
  yield* sql`create index alarms_by_due on alarms (due_at_ms)`
  yield* sql`create table players (
    project_id text not null,
    player_id text not null,
    fields bytea not null,
    written_at_ms bigint not null,
    primary key (project_id, player_id)
  )`
})

/** Brings the database to the tables that this version needs. Two services may start at once. */
export const MigrationsLayer = PgMigrator.layer({
  loader: PgMigrator.fromRecord({ "0001_accounts": accounts, "0002_rooms": rooms })
}).pipe(Layer.provide(NodeServices.layer))

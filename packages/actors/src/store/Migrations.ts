import { NodeServices } from "@effect/platform-node"
import { PgMigrator } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import { recordRequirement, requireKnownTables } from "./TableRequirements.ts"

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

const logins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table login_tokens
    add column token_id text unique,
    add column kind text not null default 'account',
    add column last_used_ms bigint,
    add column expires_at_ms bigint`
  yield* sql`update login_tokens
    set token_id = 'tok_' || substr(encode(sha256(token_hash), 'hex'), 1, 16)`
  yield* sql`alter table login_tokens alter column token_id set not null`
  yield* sql`create index login_tokens_by_account on login_tokens (account_id, created_at_ms)`
  yield* sql`create table device_logins (
    device_hash bytea primary key,
    user_code text not null unique,
    label text not null,
    account_id text references accounts,
    state text not null,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    polled_at_ms bigint
  )`
  yield* sql`create table invitations (
    code_hash bytea primary key,
    invitation_id text not null unique,
    account_id text not null references accounts,
    name text not null,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    accepted_by text references accounts
  )`
})

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

const meters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table meter_uses (
    project_id text not null references projects,
    period_starts_at_ms bigint not null,
    meter text not null,
    used bigint not null,
    primary key (project_id, period_starts_at_ms, meter)
  )`
})

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

const devLeases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table dev_leases (
    project_id text primary key references projects,
    holder text not null,
    folder text not null,
    expires_at_ms bigint not null
  )`
})

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

const roomsEntered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rooms add column entered boolean not null default true`
})

/** One step of the tables. */
export interface Migration {
  /**
   * The number of the newest migration that a program must know to run on the tables after this one.
   * The migration's own number excludes every older program; the number before it excludes none that
   * ran until now.
   */
  readonly oldest: number
  readonly change: Effect.Effect<void, SqlError, SqlClient.SqlClient>
}

/** Every migration, by number and name. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001_accounts": { oldest: 1, change: accounts },
  "0002_rooms": { oldest: 2, change: rooms },
  "0003_logins": { oldest: 3, change: logins },
  "0004_management": { oldest: 4, change: management },
  "0005_meters": { oldest: 5, change: meters },
  "0006_start_checks": { oldest: 5, change: startChecks },
  "0007_dev_leases": { oldest: 5, change: devLeases },
  "0008_audit": { oldest: 5, change: audit },
  "0009_rooms_entered": { oldest: 5, change: roomsEntered }
}

/** The migration that made the table of requirements; older programs do not read it. */
const firstRecorded = 6

const numberOf = (name: string): number => Number.parseInt(name, 10)

const newestOf = (steps: typeof migrations): number => Math.max(...Object.keys(steps).map(numberOf))

const recorded = (name: string, { oldest, change }: Migration) =>
  numberOf(name) < firstRecorded
    ? change
    : Effect.andThen(change, recordRequirement(numberOf(name), oldest))

/**
 * Brings the database to the tables that a program needs, and refuses a program that is too old for
 * the tables that it finds. Two services may start at once.
 */
export const migrationsLayer = (steps: typeof migrations) =>
  Layer.effectDiscard(
    Effect.andThen(
      PgMigrator.run({
        loader: PgMigrator.fromRecord(
          Object.fromEntries(
            Object.entries(steps).map(([name, step]) => [name, recorded(name, step)])
          )
        )
      }),
      requireKnownTables(newestOf(steps))
    )
  ).pipe(Layer.provide(NodeServices.layer))

export const MigrationsLayer = migrationsLayer(migrations)

/** Refuses this program when a newer one has migrated to tables on which it cannot run. */
export const requireTables = requireKnownTables(newestOf(migrations))

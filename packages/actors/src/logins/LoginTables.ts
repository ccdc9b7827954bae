import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"

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

/** Accounts and logins. The first migration also made the projects, their secrets and deployments. */
export const loginTables: NounTables = {
  migrations: {
    "0001_accounts": { oldest: 1, change: accounts },
    "0003_logins": { oldest: 3, change: logins }
  },
  purge: []
}

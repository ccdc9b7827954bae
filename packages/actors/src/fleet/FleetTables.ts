import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"

/** `session` is the name of the connection that a runner with an address holds while it lives. */
const runners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table runners (
    runner text primary key,
    started_at_ms bigint not null,
    heard_at_ms bigint not null,
    version text not null,
    rooms integer not null,
    clients integer not null,
    load integer not null,
    free_bytes bigint,
    setting text not null,
    session text,
    shards integer
  )`
})

/** Where a runner is asked, and what it speaks. A program that knows nothing of them speaks version 1. */
const runnerProtocols = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table runners
    add column link text,
    add column oldest_protocol integer not null default 1,
    add column newest_protocol integer not null default 1`
})

/** Where a runner has its objects: empty = in PostgreSQL alone. A program that knows nothing of the column leaves it null. */
const runnerObjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table runners add column objects_url text`
})

/** The plans of a runner, as JSON of its variables. A program that knows nothing of the column leaves it null. */
const runnerPlans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table runners add column plans text`
})

/** The runners of the service, and what an operator has ordered of each. */
export const fleetTables: NounTables = {
  migrations: {
    "0013_runners": { oldest: 5, change: runners },
    "0016_runner_protocols": { oldest: 5, change: runnerProtocols },
    "0017_runner_objects": { oldest: 5, change: runnerObjects },
    "0027_runner_plans": { oldest: 5, change: runnerPlans }
  },
  purge: []
}

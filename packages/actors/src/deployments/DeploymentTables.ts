import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { leaseTable } from "./DevLeaseStore.ts"
import { deploymentTable } from "./MemoryDeployments.ts"

const devLeases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table dev_leases (
    project_id text primary key references projects,
    holder text not null,
    folder text not null,
    expires_at_ms bigint not null
  )`
})

const rollbacks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table deployments add column rollback_of integer`
})

const versionSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table deployments add column step jsonb,
    add column migrations jsonb not null default '[]'`
  yield* sql`alter table players add column since integer not null default 0`
})

/** Deployments, and the leases of `atrium dev`. */
export const deploymentTables: NounTables = {
  migrations: {
    "0007_dev_leases": { oldest: 5, change: devLeases },
    "0011_rollbacks": { oldest: 5, change: rollbacks },
    "0032_version_steps": { oldest: 5, change: versionSteps }
  },
  purge: [
    { table: "dev_leases", acts: true, memory: leaseTable.removal(({ projectId }) => projectId) },
    { table: "deployments", memory: deploymentTable.removal((_, projectId) => projectId) },
    { folder: "bundles" }
  ]
}

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { ceilingTable } from "./CapStore.ts"
import { useTable } from "./MeterStore.ts"

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

/** Uses of meters, and the ceilings of their owners. */
export const meterTables: NounTables = {
  migrations: {
    "0005_meters": { oldest: 5, change: meters }
  },
  purge: [
    { table: "caps", memory: ceilingTable.removal((_, projectId) => projectId) },
    { table: "meter_uses", memory: useTable.removal((_, key) => key.split("/")[0] ?? null) }
  ]
}

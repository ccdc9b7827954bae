import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { alertTable } from "./AlertStore.ts"
import { ceilingTable } from "./CapStore.ts"
import { dayTable, useTable } from "./MemoryMeters.ts"

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

/**
 * `amount` is exact, in milliseconds or bytes. `used` goes on holding whole hours, minutes or bytes for
 * programs that know nothing of `amount`.
 */
const meterDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table meter_uses add column amount bigint not null default 0`
  yield* sql`update meter_uses set amount = least(used::numeric * case meter
    when 'roomHours' then 3600000 when 'voiceMinutes' then 60000 else 1 end, 9007199254740991)`
  yield* sql`create table meter_days (
    project_id text not null references projects,
    day_starts_at_ms bigint not null,
    meter text not null,
    amount bigint not null,
    primary key (project_id, day_starts_at_ms, meter)
  )`
  yield* sql`create table meter_reports (
    run text primary key,
    sequence bigint not null,
    taken_at_ms bigint not null
  )`
})

const alerts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table cap_alerts (
    project_id text not null references projects,
    period_starts_at_ms bigint not null,
    meter text not null,
    cap text not null,
    percent integer not null,
    bound bigint not null,
    at_ms bigint not null,
    primary key (project_id, period_starts_at_ms, meter, cap, percent)
  )`
  yield* sql`create index meter_uses_by_period on meter_uses (period_starts_at_ms)`
  yield* sql`create table mails (
    mail_id bigint generated always as identity primary key,
    project_id text not null references projects,
    kind text not null,
    subject text not null,
    text text not null,
    made_at_ms bigint not null,
    next_at_ms bigint,
    outcome text
  )`
  yield* sql`create index mails_due on mails (next_at_ms) where next_at_ms is not null`
  yield* sql`create index mails_by_project on mails (project_id)`
  yield* sql`create table mail_contacts (
    account_id text primary key references accounts,
    address text not null
  )`
})

/** Uses of meters by billing period and by day, their alerts, and the ceilings of their owners. */
export const meterTables: NounTables = {
  migrations: {
    "0005_meters": { oldest: 5, change: meters },
    "0018_meter_days": { oldest: 5, change: meterDays },
    "0019_alerts": { oldest: 5, change: alerts }
  },
  purge: [
    { table: "cap_alerts", memory: alertTable.removal(({ projectId }) => projectId) },
    { table: "caps", memory: ceilingTable.removal((_, projectId) => projectId) },
    { table: "meter_uses", memory: useTable.removal((_, key) => key.split("/")[0] ?? null) },
    { table: "meter_days", memory: dayTable.removal((_, key) => key.split("/")[0] ?? null) }
  ]
}

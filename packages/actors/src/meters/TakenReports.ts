import { Meters } from "@atrium/domain/meters/Caps"
import { inOwnUnit, meterParts } from "@atrium/domain/meters/Metering"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

import { byPeriod, type MeterReport, type MeterSum, type PeriodSum } from "./MeterReport.ts"

/**
 * Takes reports of runners, each in one transaction: the number of the run's last report moves on by
 * one, or nothing is added. The rows are written in one order, so that two runners that report on the
 * same projects do not wait for each other in a ring. Source: C-491.
 */
export const takingReports = (sql: SqlClient.SqlClient) => {
  const most = MeterLimits.amount.max
  const parts = sql.literal(
    `case meter_uses.meter ${Meters.map((meter) => `when '${meter}' then ${meterParts[meter]}`).join(" ")} end`
  )
  /** @returns whether the report is the next one of its run, and its sums count */
  const moveOn = Effect.fnUntraced(function* ({ run, sequence }: MeterReport) {
    const nowMs = yield* Clock.currentTimeMillis
    const moved = yield* sql<{ readonly known: boolean }>`
      insert into meter_reports as last (run, sequence, taken_at_ms)
      values (${run}, ${sequence}, ${nowMs})
      on conflict (run) do update
        set sequence = excluded.sequence, taken_at_ms = excluded.taken_at_ms
        where last.sequence = excluded.sequence - 1
      returning xmax <> 0 as known`
    if (sequence === 1) {
      yield* sql`delete from meter_reports
        where taken_at_ms < ${nowMs - MeterLimits.runKept.ms}`
    }
    // The row of a run that stood still for too long is gone: its report may have been taken before.
    return moved[0] !== undefined && (moved[0].known || sequence === 1)
  })

  const addDays = (sums: ReadonlyArray<MeterSum>) => sql`
    insert into meter_days (project_id, day_starts_at_ms, meter, amount)
    select given."projectId", given."dayStartsAtMs", given.meter, given.amount
    from json_to_recordset(${JSON.stringify(sums)}::json)
        as given("projectId" text, "dayStartsAtMs" bigint, meter text, amount bigint)
      join projects on projects.project_id = given."projectId"
    where projects.deleted_at_ms is null
    order by given."projectId", given."dayStartsAtMs", given.meter
    on conflict (project_id, day_starts_at_ms, meter)
      do update set amount = least(meter_days.amount + excluded.amount, ${most}::bigint)`

  const addPeriods = (sums: ReadonlyArray<MeterSum>) => sql`
    insert into meter_uses (project_id, period_starts_at_ms, meter, used, amount)
    select given."projectId", given."startMs", given.meter, given.used, given.amount
    from json_to_recordset(${JSON.stringify(byPeriod(sums).map(withUsed))}::json)
        as given("projectId" text, "startMs" bigint, meter text, used bigint, amount bigint)
      join projects on projects.project_id = given."projectId"
    where projects.deleted_at_ms is null
    order by given."projectId", given."startMs", given.meter
    on conflict (project_id, period_starts_at_ms, meter) do update set
      amount = least(meter_uses.amount + excluded.amount, ${most}::bigint),
      used = least(meter_uses.amount + excluded.amount, ${most}::bigint) / ${parts}`

  return Effect.fn("MeterStore.take")(function* (report: MeterReport) {
    const taking = Effect.gen(function* () {
      if (!(yield* moveOn(report)) || report.sums.length === 0) return
      yield* addDays(report.sums)
      yield* addPeriods(report.sums)
    })
    yield* sql.withTransaction(taking).pipe(Effect.orDie)
  })
}

/** With the whole hours, minutes or bytes that programs read which know nothing of `amount`. */
const withUsed = (use: PeriodSum) => ({
  ...use,
  used: Math.floor(inOwnUnit(use.meter, use.amount))
})

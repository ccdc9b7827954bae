import { eachMeter, type Meter, Meters } from "@atrium/domain/meters/Caps"
import { exactAmount, inOwnUnit } from "@atrium/domain/meters/Metering"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { memoryMeters } from "./MemoryMeters.ts"
import type { MeterReport } from "./MeterReport.ts"
import { takingReports } from "./TakenReports.ts"

/** What a project has used of each meter, in its own unit. */
export type Uses = Record<Meter, number>

/** Which project, in the billing period that begins at this moment. */
export interface MeteredPeriod {
  readonly projectId: ProjectId
  readonly startMs: number
}

/** What a project used on one day: of a level, the highest that was seen. */
export interface UsesOfDay {
  /** Of the day in UTC, Unix milliseconds. */
  readonly dayStartsAtMs: number
  readonly uses: Uses
}

/** Days of a project, from the one that begins at `fromMs` to the last one before `toMs`. */
export interface MeteredDays {
  readonly projectId: ProjectId
  readonly fromMs: number
  readonly toMs: number
}

const useFields = { meter: Schema.Literals(Meters), amount: Schema.Number }
const readUses = readRows(Schema.Struct(useFields))
const readDays = readRows(Schema.Struct({ ...useFields, dayStartsAtMs: Schema.Int }))

/**
 * What projects have used, by billing period and by day. A failing store is a defect.
 * Spec: Usage caps; D-10; C-490.
 */
export class MeterStore extends Context.Service<
  MeterStore,
  {
    read(period: MeteredPeriod): Effect.Effect<Uses>
    /** The days on which something was metered, the first of them first. */
    days(days: MeteredDays): Effect.Effect<ReadonlyArray<UsesOfDay>>
    /** Overwrites what a period says; its days stay as they are. */
    set(
      period: MeteredPeriod,
      use: { readonly meter: Meter; readonly used: number }
    ): Effect.Effect<void>
    /**
     * Adds the sums of a report to their days and periods, each report once, however often it is sent.
     * What is counted of a deleted project is left out. Source: C-491.
     */
    take(report: MeterReport): Effect.Effect<void>
    /** Removes the days that are too old. */
    readonly removeOld: Effect.Effect<void>
  }
>()("@atrium/actors/meters/MeterStore") {
  static readonly layerSql = Layer.effect(
    MeterStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const read = Effect.fn("MeterStore.read")(function* ({ projectId, startMs }: MeteredPeriod) {
        const rows = yield* readUses(sql`
          select meter, amount from meter_uses
          where project_id = ${projectId} and period_starts_at_ms = ${startMs}`)
        const uses: Uses = eachMeter(0)
        for (const { meter, amount } of rows) uses[meter] = inOwnUnit(meter, amount)
        return uses
      })

      const days = Effect.fn("MeterStore.days")(function* ({
        projectId,
        fromMs,
        toMs
      }: MeteredDays) {
        const rows = yield* readDays(sql`
          select day_starts_at_ms, meter, amount from meter_days
          where project_id = ${projectId}
            and day_starts_at_ms >= ${fromMs} and day_starts_at_ms < ${toMs}
          order by day_starts_at_ms`)
        const found = new Map<number, Uses>()
        for (const { dayStartsAtMs, meter, amount } of rows) {
          const uses = found.get(dayStartsAtMs) ?? eachMeter(0)
          uses[meter] = inOwnUnit(meter, amount)
          found.set(dayStartsAtMs, uses)
        }
        return [...found].map(([dayStartsAtMs, uses]) => ({ dayStartsAtMs, uses }))
      })

      const set = Effect.fn("MeterStore.set")(function* (
        { projectId, startMs }: MeteredPeriod,
        { meter, used }: { readonly meter: Meter; readonly used: number }
      ) {
        const amount = exactAmount(meter, used)
        yield* Effect.orDie(sql`
          insert into meter_uses (project_id, period_starts_at_ms, meter, used, amount)
          values (${projectId}, ${startMs}, ${meter}, ${Math.floor(inOwnUnit(meter, amount))}, ${amount})
          on conflict (project_id, period_starts_at_ms, meter)
            do update set used = excluded.used, amount = excluded.amount`)
      })

      const removeOld = Effect.gen(function* () {
        const fromMs = (yield* Clock.currentTimeMillis) - MeterLimits.daysKept.ms
        yield* Effect.orDie(sql`delete from meter_days where day_starts_at_ms < ${fromMs}`)
      }).pipe(Effect.withSpan("MeterStore.removeOld"))

      return { read, days, set, take: takingReports(sql), removeOld }
    })
  )

  static readonly layerMemory = Layer.effect(
    MeterStore,
    Effect.map(MemoryDatabase, (database) => memoryMeters(database))
  )
}

import { AlertPercents, CapKinds, capMail, marksReached } from "@atrium/domain/meters/CapAlerts"
import {
  type Allowances,
  billingPeriod,
  Meters,
  type Tier,
  Tiers,
  wallOf
} from "@atrium/domain/meters/Caps"
import { meterParts } from "@atrium/domain/meters/Metering"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { addMail, insertMail, type NewMail } from "../mail/MailStore.ts"
import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, byText, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { ceilingTable } from "./CapStore.ts"
import { usesIn, useTable } from "./MemoryMeters.ts"
import { PlanAllowances } from "./PlanAllowances.ts"

const raisedFields = {
  projectId: ProjectId,
  meter: Schema.Literals(Meters),
  cap: Schema.Literals(CapKinds),
  /** 80, or 100: the cap is reached. */
  percent: Schema.Int,
  bound: Schema.Int
}
const Alert = Schema.Struct({ ...raisedFields, atMs: Schema.Int })
const readAlerts = readRows(Alert)

/** A share of a cap that a project has used in a billing period. */
export type CapAlert = typeof Alert.Type

/** Alerts by project, period, meter, cap and percent. */
export const alertTable = new MemoryTable<CapAlert & { readonly startMs: number }>()

/** An alert that was raised just now, with its project. */
const RaisedAlert = Schema.Struct({
  ...raisedFields,
  name: Schema.String,
  tier: Schema.Literals(Tiers)
})
type RaisedAlert = typeof RaisedAlert.Type
const readRaised = readRows(RaisedAlert)

const percents = JSON.stringify(AlertPercents)

/** The mail of an alert; `null` = the cap is not reached yet. */
const mailOf = (
  { projectId, meter, cap, percent, bound, name, tier }: RaisedAlert,
  endMs: number
): NewMail | null => {
  if (percent < 100) return null
  const use = { tier, used: bound, allowance: cap === "allowance" ? bound : Infinity }
  const walled = wallOf({ ...use, ceiling: cap === "ceiling" ? bound : null }) !== null
  const project = { id: projectId, name }
  return { projectId, kind: "cap", ...capMail({ project, meter, cap, bound, walled, endMs }) }
}

/** Alerts of caps, each raised once in a billing period. A failing store is a defect. Source: C-503. */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /**
     * Raises the alerts that the uses of this period ask for, and puts the mails about caps that are
     * reached into the outbox in the same transaction.
     *
     * @returns how many are new
     */
    readonly raise: Effect.Effect<number>
    /** The alerts of the period that begins at this moment, of these projects, in the order in which they came. */
    list(
      projectIds: ReadonlyArray<ProjectId>,
      startMs: number
    ): Effect.Effect<ReadonlyArray<CapAlert>>
  }
>()("@atrium/actors/meters/AlertStore") {
  static readonly layerSql = Layer.effect(
    AlertStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const raised = raising(sql, yield* PlanAllowances)

      const raise = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const { startMs, endMs } = billingPeriod(nowMs)
        const all = Effect.gen(function* () {
          const rows = yield* raised(nowMs, startMs)
          for (const row of rows) {
            const mail = mailOf(row, endMs)
            if (mail !== null) yield* insertMail(sql, mail, nowMs)
          }
          return rows.length
        })
        return yield* Effect.orDie(sql.withTransaction(all))
      }).pipe(Effect.withSpan("AlertStore.raise"))

      const list = Effect.fn("AlertStore.list")(function* (
        projectIds: ReadonlyArray<ProjectId>,
        startMs: number
      ) {
        if (projectIds.length === 0) return []
        return yield* readAlerts(sql`
          select project_id, meter, cap, percent, bound, at_ms from cap_alerts
          where period_starts_at_ms = ${startMs} and ${sql.in("project_id", projectIds)}
          order by at_ms, project_id, meter, cap, percent`)
      })

      return { raise, list }
    })
  )

  static readonly layerMemory = Layer.effect(
    AlertStore,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const { tables, ask } = database
      const plans = yield* PlanAllowances
      const alerts = alertTable.rowsIn(tables)
      const raise = atNow(database)("AlertStore.raise", (nowMs) => {
        const { startMs, endMs } = billingPeriod(nowMs)
        let count = 0
        for (const key of useTable.rowsIn(tables).keys()) {
          const [id = "", start] = key.split("/")
          const project = projectIn(tables, id)
          if (project === null || Number(start) !== startMs) continue
          const { projectId, name, plan: tier } = project
          const uses = usesIn(tables, { projectId, startMs })
          for (const meter of Meters) {
            const ceiling = ceilingTable.rowsIn(tables).get(projectId)?.[meter] ?? null
            const use = { used: uses[meter], allowance: plans[tier][meter], ceiling }
            for (const mark of marksReached(use)) {
              const alertKey = `${key}/${meter}/${mark.cap}/${mark.percent}`
              if (alerts.has(alertKey)) continue
              alerts.set(alertKey, { projectId, meter, ...mark, atMs: nowMs, startMs })
              count++
              const mail = mailOf({ projectId, meter, ...mark, name, tier }, endMs)
              if (mail !== null) addMail(tables, mail, nowMs)
            }
          }
        }
        return count
      })
      return {
        raise,
        list: (projectIds, startMs) =>
          ask("AlertStore.list", () =>
            [...alerts.values()]
              .filter((row) => row.startMs === startMs && projectIds.includes(row.projectId))
              .sort(inOrder)
              .map(({ startMs: _of, ...alert }) => alert)
          )
      }
    })
  )
}

/** @returns raises the alerts that are due and new */
const raising = (sql: SqlClient.SqlClient, plans: Record<Tier, Allowances>) => {
  const allowed = JSON.stringify(
    Tiers.flatMap((plan) =>
      Meters.map((meter) => {
        return { plan, meter, allowance: plans[plan][meter], parts: meterParts[meter] }
      })
    )
  )

  return (nowMs: number, startMs: number) =>
    readRaised(sql`
        with reached as (
          select m.project_id, m.meter, b.cap, t.percent, b.bound
          from meter_uses m
            join projects p on p.project_id = m.project_id and p.deleted_at_ms is null
            join json_to_recordset(${allowed}::json)
              a(plan text, meter text, allowance bigint, parts integer) on a.plan = p.plan and a.meter = m.meter
            left join caps c on c.project_id = m.project_id and c.meter = m.meter
            cross join lateral (values ('allowance', a.allowance), ('ceiling', c.ceiling))
              b(cap, bound)
            cross join json_array_elements_text(${percents}::json) as of_cap(share)
            cross join lateral (select of_cap.share::integer) t(percent)
          where m.period_starts_at_ms = ${startMs} and m.amount > 0
            and m.amount::numeric * 100 >= b.bound::numeric * a.parts * t.percent
        ), new as (
          insert into cap_alerts
            (project_id, period_starts_at_ms, meter, cap, percent, bound, at_ms)
          select project_id, ${startMs}::bigint, meter, cap, percent, bound, ${nowMs}::bigint
          from reached
          on conflict do nothing
          returning project_id, meter, cap, percent, bound
        )
        select new.*, p.name, p.plan as tier from new join projects p using (project_id)
        order by new.project_id, new.meter, new.cap, new.percent`)
}

const inOrder = (one: CapAlert, other: CapAlert): number =>
  one.atMs - other.atMs ||
  byText(one.projectId, other.projectId) ||
  byText(one.meter, other.meter) ||
  byText(one.cap, other.cap) ||
  one.percent - other.percent

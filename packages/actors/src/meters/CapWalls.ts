import {
  billingPeriod,
  type CapWall,
  type Meter,
  Meters,
  type Tier,
  Tiers,
  wallOf
} from "@atrium/domain/meters/Caps"
import { inOwnUnit } from "@atrium/domain/meters/Metering"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectTable } from "../projects/ProjectStore.ts"
import { byText, MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { ceilingTable } from "./CapStore.ts"
import { usesIn as usesOfPeriod } from "./MemoryMeters.ts"
import { PlanAllowances } from "./PlanAllowances.ts"

const readUses = readRows(
  Schema.Struct({
    projectId: ProjectId,
    meter: Schema.Literals(Meters),
    tier: Schema.Literals(Tiers),
    amount: Schema.Number,
    ceiling: Schema.NullOr(Schema.Int)
  })
)

/**
 * Which projects have reached a cap that refuses new work. Metering writes uses, owners write ceilings,
 * billing writes plans; each question is answered from those rows, so that every runner says the same
 * and a lifted wall is gone at the next question. Source: D-45; spec: Usage caps.
 */
export class CapWalls extends Context.Service<
  CapWalls,
  {
    /** The wall of the first of these meters that has one; `null` = none has. */
    of(projectId: ProjectId, meters: ReadonlyArray<Meter>): Effect.Effect<CapWall | null>
    /** The projects among these that are at their data-out wall. */
    atDataOut(projectIds: ReadonlyArray<ProjectId>): Effect.Effect<ReadonlyArray<ProjectId>>
  }
>()("@atrium/actors/meters/CapWalls") {
  static readonly layerSql = Layer.effect(
    CapWalls,
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      makeCapWalls(
        Effect.fn("CapWalls.read")(({ projectIds, meters, startMs }: UsesQuery) =>
          Effect.map(
            readUses(sql`
              select p.project_id, wanted.meter, p.plan as tier,
                coalesce(m.amount, 0)::bigint as amount, c.ceiling
              from projects p
                cross join json_array_elements_text(${JSON.stringify(meters)}::json) wanted(meter)
                left join meter_uses m on m.project_id = p.project_id
                  and m.meter = wanted.meter and m.period_starts_at_ms = ${startMs}
                left join caps c on c.project_id = p.project_id and c.meter = wanted.meter
              where ${sql.in("p.project_id", projectIds)}
              order by p.project_id`),
            (rows) =>
              rows.map(({ amount, ...row }) => ({ ...row, used: inOwnUnit(row.meter, amount) }))
          )
        )
      )
    )
  )

  static readonly layerMemory = Layer.effect(
    CapWalls,
    Effect.flatMap(MemoryDatabase, ({ tables, ask }) =>
      makeCapWalls((query) => ask("CapWalls.read", () => usesIn(tables, query)))
    )
  )
}

interface UsesQuery {
  readonly projectIds: ReadonlyArray<ProjectId>
  readonly meters: ReadonlyArray<Meter>
  /** Of the billing period, Unix milliseconds. */
  readonly startMs: number
}

/** A meter that nobody used counts 0, and reaches no ceiling but 0. */
interface ProjectUse {
  readonly projectId: ProjectId
  readonly meter: Meter
  readonly tier: Tier
  readonly used: number
  readonly ceiling: number | null
}

/** @param read the uses of these meters, by project; unknown projects have none */
const makeCapWalls = Effect.fnUntraced(function* (
  read: (query: UsesQuery) => Effect.Effect<ReadonlyArray<ProjectUse>>
) {
  const allowances = yield* PlanAllowances
  const walls = Effect.fnUntraced(function* (
    projectIds: ReadonlyArray<ProjectId>,
    meters: ReadonlyArray<Meter>
  ) {
    const { startMs, endMs } = billingPeriod(yield* Clock.currentTimeMillis)
    const uses = yield* read({ projectIds, meters, startMs })
    return uses.flatMap(({ projectId, meter, ...use }) => {
      const cap = wallOf({ ...use, allowance: allowances[use.tier][meter] })
      return cap === null ? [] : [{ projectId, wall: { meter, cap, endMs } }]
    })
  })
  const made: CapWalls["Service"] = {
    of: Effect.fnUntraced(function* (projectId, meters) {
      const reached = yield* walls([projectId], meters)
      for (const meter of meters) {
        const found = reached.find(({ wall }) => wall.meter === meter)
        if (found !== undefined) return found.wall
      }
      return null
    }),
    atDataOut: Effect.fnUntraced(function* (projectIds) {
      if (projectIds.length === 0) return []
      return (yield* walls(projectIds, ["dataOutBytes"])).map(({ projectId }) => projectId)
    })
  }
  return made
})

const usesIn = (
  tables: MemoryTables,
  { projectIds, meters, startMs }: UsesQuery
): ReadonlyArray<ProjectUse> =>
  [...projectTable.rowsIn(tables).values()]
    .filter(({ projectId }) => projectIds.includes(projectId))
    .sort((one, other) => byText(one.projectId, other.projectId))
    .flatMap(({ projectId, plan }) =>
      meters.map((meter) => ({
        projectId,
        meter,
        tier: plan,
        used: usesOfPeriod(tables, { projectId, startMs })[meter],
        ceiling: ceilingTable.rowsIn(tables).get(projectId)?.[meter] ?? null
      }))
    )

import {
  allowances,
  billingPeriod,
  standingOf,
  type Tier,
  Tiers,
  type WakeMeter,
  WakeMeters
} from "@atrium/domain/meters/Caps"
import { inOwnUnit } from "@atrium/domain/meters/Metering"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectTable } from "../projects/ProjectStore.ts"
import { byText, MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import { ceilingTable } from "./CapStore.ts"
import { usesIn as usesOfPeriod } from "./MemoryMeters.ts"

const Uses = Schema.Array(
  Schema.Struct({
    project_id: ProjectId,
    meter: Schema.Literals(WakeMeters),
    tier: Schema.Literals(Tiers),
    amount: Schema.BigInt,
    ceiling: Schema.NullOr(Schema.BigInt)
  })
)
const decodeUses = Schema.decodeUnknownEffect(Schema.toType(Uses))

/**
 * Which projects have reached a cap that keeps rooms from starting. Metering writes uses, owners write
 * ceilings, billing writes plans; each question is answered from those rows, so that every runner says
 * the same and a lifted wall is gone at the next question. Source: D-45; spec: Usage caps.
 */
export class CapWalls extends Context.Service<
  CapWalls,
  {
    /** The meter whose wall keeps the project's rooms from starting; `null` = none does. */
    atWake(projectId: ProjectId): Effect.Effect<WakeMeter | null>
    /** The projects among these that are at their data-out wall. */
    atDataOut(projectIds: ReadonlyArray<ProjectId>): Effect.Effect<ReadonlyArray<ProjectId>>
  }
>()("@atrium/actors/meters/CapWalls") {
  static readonly layerSql = Layer.effect(
    CapWalls,
    Effect.map(SqlClient.SqlClient, (sql) =>
      capWalls(
        Effect.fn("CapWalls.read")(({ projectIds, meters, startMs }: UsesQuery) =>
          Effect.orDie(
            Effect.map(
              Effect.flatMap(
                sql`select p.project_id, wanted.meter, p.plan as tier,
                    coalesce(m.amount, 0)::bigint as amount, c.ceiling
                  from projects p
                    cross join json_array_elements_text(${JSON.stringify(meters)}::json) wanted(meter)
                    left join meter_uses m on m.project_id = p.project_id
                      and m.meter = wanted.meter and m.period_starts_at_ms = ${startMs}
                    left join caps c on c.project_id = p.project_id and c.meter = wanted.meter
                  where ${sql.in("p.project_id", projectIds)}
                  order by p.project_id`,
                decodeUses
              ),
              (rows) =>
                rows.map(({ project_id: projectId, meter, tier, amount, ceiling }) => ({
                  projectId,
                  meter,
                  tier,
                  used: inOwnUnit(meter, Number(amount)),
                  ceiling: ceiling === null ? null : Number(ceiling)
                }))
            )
          )
        )
      )
    )
  )

  static readonly layerMemory = Layer.effect(
    CapWalls,
    Effect.map(MemoryDatabase, ({ tables, ask }) =>
      capWalls((query) => ask("CapWalls.read", () => usesIn(tables, query)))
    )
  )
}

interface UsesQuery {
  readonly projectIds: ReadonlyArray<ProjectId>
  readonly meters: ReadonlyArray<WakeMeter>
  /** Of the billing period, Unix milliseconds. */
  readonly startMs: number
}

/** A meter that nobody used counts 0, and reaches no ceiling but 0. */
interface ProjectUse {
  readonly projectId: ProjectId
  readonly meter: WakeMeter
  readonly tier: Tier
  readonly used: number
  readonly ceiling: number | null
}

/** @param read the uses of these meters, by project; unknown projects have none */
const capWalls = (
  read: (query: UsesQuery) => Effect.Effect<ReadonlyArray<ProjectUse>>
): CapWalls["Service"] => {
  const walls = Effect.fnUntraced(function* (
    projectIds: ReadonlyArray<ProjectId>,
    meters: ReadonlyArray<WakeMeter>
  ) {
    const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
    const uses = yield* read({ projectIds, meters, startMs })
    return uses.filter(
      ({ meter, tier, used, ceiling }) =>
        standingOf({ tier, used, allowance: allowances[meter], ceiling }) === "walled"
    )
  })
  return {
    atWake: Effect.fnUntraced(function* (projectId: ProjectId) {
      const held = yield* walls([projectId], WakeMeters)
      return WakeMeters.find((meter) => held.some((wall) => wall.meter === meter)) ?? null
    }),
    atDataOut: Effect.fnUntraced(function* (projectIds: ReadonlyArray<ProjectId>) {
      if (projectIds.length === 0) return []
      return (yield* walls(projectIds, ["dataOutBytes"])).map(({ projectId }) => projectId)
    })
  }
}

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

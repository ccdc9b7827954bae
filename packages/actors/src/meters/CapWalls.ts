import {
  allowances,
  billingPeriod,
  standingOf,
  Tiers,
  type WakeMeter,
  WakeMeters
} from "@atrium/domain/meters/Caps"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Uses = Schema.Array(
  Schema.Struct({
    project_id: ProjectId,
    meter: Schema.Literals(WakeMeters),
    tier: Schema.Literals(Tiers),
    used: Schema.BigInt,
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
    /** Those of these projects whose data-out wall holds. */
    atDataOut(projectIds: ReadonlyArray<ProjectId>): Effect.Effect<ReadonlyArray<ProjectId>>
  }
>()("@atrium/actors/store/CapWalls") {
  static readonly layerSql = Layer.effect(
    CapWalls,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Walls that hold now. A meter without a row is not used, and reaches no ceiling but 0. */
      const walls = Effect.fn("CapWalls.read")(function* (
        projectIds: ReadonlyArray<ProjectId>,
        meters: ReadonlyArray<WakeMeter>
      ) {
        const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select p.project_id, wanted.meter, p.plan as tier,
                coalesce(m.used, 0)::bigint as used, c.ceiling
              from projects p
                cross join json_array_elements_text(${JSON.stringify(meters)}::json) wanted(meter)
                left join meter_uses m on m.project_id = p.project_id
                  and m.meter = wanted.meter and m.period_starts_at_ms = ${startMs}
                left join caps c on c.project_id = p.project_id and c.meter = wanted.meter
              where ${sql.in("p.project_id", projectIds)}`,
            decodeUses
          )
        )
        return rows.filter(
          ({ meter, tier, used, ceiling }) =>
            standingOf({
              tier,
              used: Number(used),
              allowance: allowances[meter],
              ceiling: ceiling === null ? null : Number(ceiling)
            }) === "walled"
        )
      })

      const atWake = Effect.fnUntraced(function* (projectId: ProjectId) {
        const held = yield* walls([projectId], WakeMeters)
        return WakeMeters.find((meter) => held.some((wall) => wall.meter === meter)) ?? null
      })

      const atDataOut = Effect.fnUntraced(function* (projectIds: ReadonlyArray<ProjectId>) {
        if (projectIds.length === 0) return []
        return (yield* walls(projectIds, ["dataOutBytes"])).map((wall) => wall.project_id)
      })

      return { atWake, atDataOut }
    })
  )
}

import { eachMeter, type Meter, Meters } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"

/** What a project has used of each meter, in its own unit. */
export type Uses = Record<Meter, number>

/** Which project, in the billing period that begins at this moment. */
export interface MeteredPeriod {
  readonly projectId: ProjectId
  readonly startMs: number
}

/** The uses of each project and billing period, by {@link periodKey}. */
export const useTable = new MemoryTable<Uses>()

export const periodKey = ({ projectId, startMs }: MeteredPeriod): string =>
  `${projectId}/${startMs}`

const UseColumns = Schema.Array(
  Schema.Struct({ meter: Schema.Literals(Meters), used: Schema.BigInt })
)
const decodeUses = Schema.decodeUnknownEffect(Schema.toType(UseColumns))

/** What projects have used, by billing period. A failing store is a defect. Spec: Usage caps; D-10. */
export class MeterStore extends Context.Service<
  MeterStore,
  {
    read(period: MeteredPeriod): Effect.Effect<Uses>
    set(
      period: MeteredPeriod,
      use: { readonly meter: Meter; readonly used: number }
    ): Effect.Effect<void>
  }
>()("@atrium/actors/meters/MeterStore") {
  static readonly layerSql = Layer.effect(
    MeterStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const read = Effect.fn("MeterStore.read")(function* ({ projectId, startMs }: MeteredPeriod) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select meter, used from meter_uses
                where project_id = ${projectId} and period_starts_at_ms = ${startMs}`,
            decodeUses
          )
        )
        const uses: Uses = eachMeter(0)
        for (const { meter, used } of rows) uses[meter] = Number(used)
        return uses
      })

      const set = Effect.fn("MeterStore.set")(function* (
        { projectId, startMs }: MeteredPeriod,
        { meter, used }: { readonly meter: Meter; readonly used: number }
      ) {
        yield* Effect.orDie(sql`
          insert into meter_uses (project_id, period_starts_at_ms, meter, used)
          values (${projectId}, ${startMs}, ${meter}, ${used})
          on conflict (project_id, period_starts_at_ms, meter) do update set used = excluded.used`)
      })

      return { read, set }
    })
  )

  static readonly layerMemory = Layer.effect(
    MeterStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const usesOf = (period: MeteredPeriod): Uses => ({
        ...eachMeter(0),
        ...useTable.rowsIn(tables).get(periodKey(period))
      })
      return {
        read: (period) => ask("MeterStore.read", () => usesOf(period)),
        set: (period, { meter, used }) =>
          ask("MeterStore.set", () => {
            useTable.rowsIn(tables).set(periodKey(period), { ...usesOf(period), [meter]: used })
          })
      }
    })
  )
}

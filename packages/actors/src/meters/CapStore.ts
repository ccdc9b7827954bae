import { eachMeter, type Meter, Meters } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

/** What a project's owner allows of each meter at most; `null` = nothing is set. */
export type Ceilings = Record<Meter, number | null>

/** The ceilings of each project, by its id. */
export const ceilingTable = new MemoryTable<Ceilings>()

const readCeilings = readRows(
  Schema.Struct({ meter: Schema.Literals(Meters), ceiling: Schema.Int })
)

/** Ceilings of projects. A failing store is a defect. Spec: Usage caps; D-10. */
export class CapStore extends Context.Service<
  CapStore,
  {
    read(projectId: ProjectId): Effect.Effect<Ceilings>
    /** Sets what is named, all of it or nothing; `null` clears. @returns what is set then */
    set(projectId: ProjectId, ceilings: Partial<Ceilings>): Effect.Effect<Ceilings>
  }
>()("@atrium/actors/meters/CapStore") {
  static readonly layerSql = Layer.effect(
    CapStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const read = Effect.fn("CapStore.read")(function* (projectId: ProjectId) {
        const rows = yield* readCeilings(
          sql`select meter, ceiling from caps where project_id = ${projectId}`
        )
        const ceilings: Ceilings = eachMeter(null)
        for (const { meter, ceiling } of rows) ceilings[meter] = ceiling
        return ceilings
      })

      const write = (projectId: ProjectId, meter: Meter, ceiling: number | null) =>
        ceiling === null
          ? sql`delete from caps where project_id = ${projectId} and meter = ${meter}`
          : sql`insert into caps (project_id, meter, ceiling)
              values (${projectId}, ${meter}, ${ceiling})
              on conflict (project_id, meter) do update set ceiling = excluded.ceiling`

      const set = Effect.fn("CapStore.set")(function* (
        projectId: ProjectId,
        ceilings: Partial<Ceilings>
      ) {
        const writes = Effect.gen(function* () {
          // Always in one order: two who set several at once must not wait for each other in a ring.
          for (const meter of Meters) {
            const ceiling = ceilings[meter]
            if (ceiling !== undefined) yield* write(projectId, meter, ceiling)
          }
          return yield* read(projectId)
        })
        return yield* sql.withTransaction(writes).pipe(Effect.catchTag("SqlError", Effect.die))
      })

      return { read, set }
    })
  )

  static readonly layerMemory = Layer.effect(
    CapStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const ceilingsOf = (projectId: ProjectId): Ceilings => ({
        ...eachMeter(null),
        ...ceilingTable.rowsIn(tables).get(projectId)
      })
      return {
        read: (projectId) => ask("CapStore.read", () => ceilingsOf(projectId)),
        set: (projectId, ceilings) =>
          ask("CapStore.set", () => {
            const set = ceilingsOf(projectId)
            for (const meter of Meters) {
              const ceiling = ceilings[meter]
              if (ceiling !== undefined) set[meter] = ceiling
            }
            ceilingTable.rowsIn(tables).set(projectId, set)
            return { ...set }
          })
      }
    })
  )
}

import { billingPeriod, type CapWall, type Meter } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import {
  firstWall,
  fromUses,
  type ProjectUse,
  useColumns,
  useFields,
  useOf,
  usesInMemory,
  type UsesQuery,
  wallAt
} from "./CapUses.ts"
import { PlanAllowances } from "./PlanAllowances.ts"

const readUses = readRows(Schema.Struct(useFields))

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
        Effect.fn("CapWalls.read")((query: UsesQuery) =>
          Effect.map(
            readUses(sql`
              select ${useColumns(sql)} ${fromUses(sql, query)}
              where ${sql.in("p.project_id", query.projectIds)}
              order by p.project_id`),
            (rows) => rows.map(useOf)
          )
        )
      )
    )
  )

  static readonly layerMemory = Layer.effect(
    CapWalls,
    Effect.flatMap(MemoryDatabase, ({ tables, ask }) =>
      makeCapWalls((query) => ask("CapWalls.read", () => usesInMemory(tables, query)))
    )
  )
}

/** @param read the uses of these meters, by project; unknown projects have none */
const makeCapWalls = Effect.fnUntraced(function* (
  read: (query: UsesQuery) => Effect.Effect<ReadonlyArray<ProjectUse>>
) {
  const allowances = yield* PlanAllowances
  const usesNow = Effect.fnUntraced(function* (
    projectIds: ReadonlyArray<ProjectId>,
    meters: ReadonlyArray<Meter>
  ) {
    const { startMs, endMs } = billingPeriod(yield* Clock.currentTimeMillis)
    return { uses: yield* read({ projectIds, meters, startMs }), rules: { allowances, endMs } }
  })
  const made: CapWalls["Service"] = {
    of: (projectId, meters) =>
      Effect.map(usesNow([projectId], meters), ({ uses, rules }) => firstWall(uses, meters, rules)),
    atDataOut: Effect.fnUntraced(function* (projectIds) {
      if (projectIds.length === 0) return []
      const { uses, rules } = yield* usesNow(projectIds, ["dataOutBytes"])
      return uses.flatMap((use) => (wallAt(use, rules) === null ? [] : [use.projectId]))
    })
  }
  return made
})

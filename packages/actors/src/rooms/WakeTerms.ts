import { billingPeriod, type CapWall, type Tier, WakeMeters } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import {
  firstWall,
  fromUses,
  useColumns,
  useFields,
  useOf,
  usesInMemory
} from "../meters/CapUses.ts"
import { PlanAllowances } from "../meters/PlanAllowances.ts"
import { projectIn } from "../projects/ProjectStore.ts"
import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

/** What a project says of a room of it that is about to start. */
export interface TermsOfWake {
  /** Claimed for this start: it is above every epoch that was claimed before. */
  readonly epoch: number
  readonly plan: Tier
  /** The version that is deployed; `null` = none is. */
  readonly version: number | null
  /** The cap that keeps the room from starting. */
  readonly wall: CapWall | null
}

const readTerms = readRows(
  Schema.Struct({ ...useFields, epoch: Schema.Int, currentVersion: Schema.NullOr(Schema.Int) })
)

/** The terms of rooms that start, in one read. A failing store is a defect. */
export class WakeTerms extends Context.Service<
  WakeTerms,
  {
    /** `null` = there is no such project. */
    read(projectId: ProjectId): Effect.Effect<TermsOfWake | null>
  }
>()("@atrium/actors/rooms/WakeTerms") {
  static readonly layerSql = Layer.effect(
    WakeTerms,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const allowances = yield* PlanAllowances
      const read = Effect.fn("WakeTerms.read")(function* (projectId: ProjectId) {
        const { startMs, endMs } = billingPeriod(yield* Clock.currentTimeMillis)
        const query = { projectIds: [projectId], meters: WakeMeters, startMs }
        // One epoch for all rows: the subquery depends on none of them.
        const rows = yield* readTerms(sql`
          select (select nextval('room_epochs')) as epoch, p.current_version, ${useColumns(sql)}
          ${fromUses(sql, query)}
          where p.project_id = ${projectId} and p.deleted_at_ms is null`)
        const [first] = rows
        if (first === undefined) return null
        const { epoch, currentVersion: version, tier: plan } = first
        const wall = firstWall(rows.map(useOf), WakeMeters, { allowances, endMs })
        return { epoch, plan, version, wall }
      })
      return { read }
    })
  )

  static readonly layerMemory = Layer.effect(
    WakeTerms,
    Effect.gen(function* () {
      const { tables, ask } = yield* MemoryDatabase
      const allowances = yield* PlanAllowances
      const read = Effect.fnUntraced(function* (projectId: ProjectId) {
        const { startMs, endMs } = billingPeriod(yield* Clock.currentTimeMillis)
        const query = { projectIds: [projectId], meters: WakeMeters, startMs }
        return yield* ask("WakeTerms.read", () => {
          const project = projectIn(tables, projectId)
          if (project === null) return null
          const { plan, currentVersion: version } = project
          const uses = usesInMemory(tables, query)
          const wall = firstWall(uses, WakeMeters, { allowances, endMs })
          return { epoch: tables.next("rooms.epoch"), plan, version, wall }
        })
      })
      return { read }
    })
  )
}

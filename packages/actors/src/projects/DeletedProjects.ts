import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** A deleted project of which something may be stored yet. */
export interface DeletedProject {
  readonly projectId: ProjectId
  readonly deletedAtMs: number
}

const PendingColumns = Schema.Array(
  Schema.Struct({ project_id: ProjectId, deleted_at_ms: Schema.BigInt })
)
const decodePending = Schema.decodeUnknownEffect(Schema.toType(PendingColumns))

/** What deleted projects leave behind. A failing store is a defect. */
export class DeletedProjects extends Context.Service<
  DeletedProjects,
  {
    /** The longest deleted first, at most that many. */
    pending(most: number): Effect.Effect<ReadonlyArray<DeletedProject>>
    /**
     * Removes a bounded part of what is stored, but for rooms that are up. Nothing depends on the
     * rest, so that it may be cut short anywhere. @returns what was removed; 0 = nothing is left
     */
    removeSome(projectId: ProjectId): Effect.Effect<number>
    /** Nothing is left, and nothing can come any more. The row of the project stays. */
    purged(projectId: ProjectId): Effect.Effect<void>
  }
>()("@atrium/actors/store/DeletedProjects") {
  static readonly layerSql = Layer.effect(
    DeletedProjects,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const pending = Effect.fn("DeletedProjects.pending")(function* (most: number) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select project_id, deleted_at_ms from projects
                where deleted_at_ms is not null and purged_at_ms is null
                order by deleted_at_ms, project_id limit ${most}`,
            decodePending
          )
        )
        return rows.map((row) => ({
          projectId: row.project_id,
          deletedAtMs: Number(row.deleted_at_ms)
        }))
      })

      const removeSome = Effect.fn("DeletedProjects.removeSome")(function* (projectId: ProjectId) {
        let removed = 0
        for (const statement of removals(sql, projectId)) {
          removed += (yield* Effect.orDie(statement)).length
        }
        return removed
      })

      const purged = Effect.fn("DeletedProjects.purged")(function* (projectId: ProjectId) {
        const nowMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`update projects set purged_at_ms = ${nowMs}
          where project_id = ${projectId} and deleted_at_ms is not null`)
      })

      return { pending, removeSome, purged }
    })
  )
}

/** First what could still do something: alarms wake, keys open. */
const rowTables = [
  "alarms",
  "api_keys",
  "jwt_secrets",
  "dev_leases",
  "rooms",
  "players",
  "deployments",
  "caps",
  "meter_uses"
] as const

/** One statement for each kind of thing, each for a bounded number of them. */
const removals = (sql: SqlClient.SqlClient, projectId: ProjectId) => {
  const removal = (
    table: string,
    { of, most }: { readonly of: ReturnType<typeof sql.literal>; readonly most: number }
  ) => sql`
    delete from ${sql(table)} where ctid = any(array(
      select ctid from ${sql(table)} where ${of} limit ${most}))
    returning 1`
  // Neither the id nor the folders hold a character that LIKE takes for another but the underscore.
  const under = (folder: string) => `${folder}/${projectId.replace("_", "\\_")}/%`
  const ofProject = sql`project_id = ${projectId}`
  const asleep = sql`${ofProject} and status in ('hibernated', 'closed')`
  return [
    ...rowTables.map((table) =>
      removal(table, {
        of: table === "rooms" ? asleep : ofProject,
        most: ProjectLimits.purgeRows.max
      })
    ),
    ...["rooms", "bundles"].map((folder) =>
      removal("objects", {
        of: sql`key like ${under(folder)}`,
        most: ProjectLimits.purgeObjects.max
      })
    )
  ]
}

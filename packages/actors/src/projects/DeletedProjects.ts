import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { objectTable } from "../objects/ObjectStore.ts"
import { underPrefix } from "../objects/SqlObjects.ts"
import { byText, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import type { Purged } from "../store/NounTables.ts"
import { readRows } from "../store/ReadRows.ts"
import { deletionTable } from "./ProjectStore.ts"

const Pending = Schema.Struct({ projectId: ProjectId, deletedAtMs: Schema.Int })
const readPending = readRows(Pending)
const readIds = readRows(Schema.Struct({ projectId: Schema.String }))

/** A deleted project of which something may be stored yet. */
export type DeletedProject = typeof Pending.Type

/** The data that deleted projects leave behind. A failing store is a defect. */
export class DeletedProjects extends Context.Service<
  DeletedProjects,
  {
    /** The longest deleted first, at most that many. */
    pending(most: number): Effect.Effect<ReadonlyArray<DeletedProject>>
    /** Those of the given projects that are deleted. */
    among(projectIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>>
    /**
     * Removes a bounded part of what is stored, but for rooms that are up. Nothing depends on the
     * rest, so that it may be cut short anywhere. @returns what was removed; 0 = nothing is left
     */
    removeSome(projectId: ProjectId): Effect.Effect<number>
    /** Nothing is left, and nothing can come any more. The row of the project stays. */
    purged(projectId: ProjectId): Effect.Effect<void>
  }
>()("@atrium/actors/projects/DeletedProjects") {
  /** @param purge what the nouns of the service store of a project */
  static readonly layerSql = (purge: ReadonlyArray<Purged>) =>
    Layer.effect(
      DeletedProjects,
      Effect.gen(function* () {
        const ordered = inOrder(purge)
        const sql = yield* SqlClient.SqlClient

        const pending = Effect.fn("DeletedProjects.pending")((most: number) =>
          readPending(sql`
            select project_id, deleted_at_ms from projects
            where deleted_at_ms is not null and purged_at_ms is null
            order by deleted_at_ms, project_id limit ${most}`)
        )

        const among = Effect.fn("DeletedProjects.among")(function* (
          projectIds: ReadonlyArray<string>
        ) {
          if (projectIds.length === 0) return []
          const rows = yield* readIds(sql`
            select project_id from projects
            where ${sql.in("project_id", projectIds)} and deleted_at_ms is not null`)
          return rows.map(({ projectId }) => projectId)
        })

        const removeSome = Effect.fn("DeletedProjects.removeSome")(function* (
          projectId: ProjectId
        ) {
          let removed = 0
          for (const purged of ordered) {
            const rows = yield* Effect.orDie(removalOf({ sql, projectId }, purged))
            removed += rows.length
          }
          return removed
        })

        const purged = Effect.fn("DeletedProjects.purged")(function* (projectId: ProjectId) {
          const nowMs = yield* Clock.currentTimeMillis
          yield* Effect.orDie(sql`update projects set purged_at_ms = ${nowMs}
          where project_id = ${projectId} and deleted_at_ms is not null`)
        })

        return { pending, among, removeSome, purged }
      })
    )

  /** @param purge what the nouns of the service store of a project */
  static readonly layerMemory = (purge: ReadonlyArray<Purged>) =>
    Layer.effect(
      DeletedProjects,
      Effect.map(MemoryDatabase, ({ tables, ask }) => {
        const removals = inOrder(purge).map(memoryRemovalOf)
        const done = purgedTable.rowsIn(tables)
        return {
          pending: (most) =>
            ask("DeletedProjects.pending", () =>
              [...deletionTable.rowsIn(tables)]
                .filter(([projectId]) => !done.has(projectId))
                .map(([id, deletedAtMs]) => ({ projectId: ProjectId.make(id), deletedAtMs }))
                .sort(
                  (one, other) =>
                    one.deletedAtMs - other.deletedAtMs || byText(one.projectId, other.projectId)
                )
                .slice(0, most)
            ),
          among: (projectIds) =>
            ask("DeletedProjects.among", () =>
              projectIds.filter((projectId) => deletionTable.rowsIn(tables).has(projectId))
            ),
          removeSome: (projectId) =>
            ask("DeletedProjects.removeSome", () =>
              removals.reduce((removed, remove) => removed + remove(tables, projectId), 0)
            ),
          purged: (projectId) =>
            ask("DeletedProjects.purged", () => {
              if (deletionTable.rowsIn(tables).has(projectId)) done.set(projectId, true)
            })
        }
      })
    )
}

/** Deleted projects of which nothing is left. */
const purgedTable = new MemoryTable<true>()

/** First what could still do something: alarms wake, keys open. */
const inOrder = (purge: ReadonlyArray<Purged>): ReadonlyArray<Purged> => {
  const acts = (each: Purged): boolean => "acts" in each
  return [...purge.filter(acts), ...purge.filter((each) => !acts(each))]
}

interface Removal {
  readonly sql: SqlClient.SqlClient
  readonly projectId: ProjectId
}

/**
 * One statement for one kind of thing, for a bounded number of them. A place of a row (`ctid`) is one
 * in each partition of a table: the rows of others at the same place stay.
 */
const removalOf = ({ sql, projectId }: Removal, purged: Purged) => {
  const removal = (
    table: string,
    { of, most }: { readonly of: ReturnType<typeof sql.literal>; readonly most: number }
  ) => sql`
    delete from ${sql(table)} where ctid = any(array(
      select ctid from ${sql(table)} where ${of} limit ${most})) and ${of}
    returning 1`
  if ("folder" in purged) {
    const of = underPrefix(sql, `${purged.folder}/${projectId}/`)
    return removal("objects", { of, most: ProjectLimits.purgeObjects.max })
  }
  const { through } = purged
  const owned =
    through === undefined
      ? sql`project_id = ${projectId}`
      : sql`${sql(through.column)} in (
          select ${sql(through.column)} from ${sql(through.table)} where project_id = ${projectId})`
  const ofProject = sql`${owned} and ${sql.literal(purged.where ?? "true")}`
  return removal(purged.table, { of: ofProject, most: ProjectLimits.purgeRows.max })
}

const memoryRemovalOf = (purged: Purged) => (tables: MemoryTables, projectId: ProjectId) => {
  if ("table" in purged) {
    return purged.memory(tables, { projectId, most: ProjectLimits.purgeRows.max })
  }
  const under = `${purged.folder}/${projectId}/`
  const ofProject = objectTable.removal((_, key) => (key.startsWith(under) ? projectId : null))
  return ofProject(tables, { projectId, most: ProjectLimits.purgeObjects.max })
}

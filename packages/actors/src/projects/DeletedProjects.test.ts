import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { allTables } from "../store/testing/AllTables.ts"
import { MemoryStores, newProject, TestStores } from "../store/testing/TestStores.ts"
import { deletedProjectsContract } from "./DeletedProjects.contract.ts"
import { DeletedProjects } from "./DeletedProjects.ts"

/** Everything that a project may store, so many of each kind; the first room is up. */
const fill = Effect.fnUntraced(function* (projectId: ProjectId, many: number) {
  const sql = yield* SqlClient.SqlClient
  const hex = `'${projectId}' || lpad(to_hex(n), 8, '0')`
  const text = `
      insert into alarms select '${projectId}', 'r' || n, 0 from generate_series(1, ${many}) n;
      insert into players select '${projectId}', 'pl' || n, '', 0 from generate_series(1, ${many}) n;
      insert into rooms (project_id, room_id, state, status, type, class, epoch, clients,
          max_clients, is_public, started, last_seen_ms)
        select '${projectId}', 'r' || n, '{}', case n when 1 then 'awake' when 2 then 'closed'
          else 'hibernated' end, 't', 'standard', n, 0, 0, false, false, 0
        from generate_series(1, ${many}) n;
      insert into objects select 'rooms/${projectId}/r' || n || '/alarm', '', '{}', 0
        from generate_series(1, ${many}) n;
      insert into objects select 'bundles/${projectId}/' || n, '', '{}', 0
        from generate_series(1, ${many}) n;
      insert into api_keys (key_id, project_id, secret_hash, label, scopes, created_at_ms)
        select ${hex}, '${projectId}', convert_to(${hex}, 'UTF8'), 'k', '[]', 0
        from generate_series(1, ${many}) n;
      insert into jwt_secrets select '${projectId}', n, 0, null from generate_series(1, ${many}) n;
      insert into deployments (project_id, version, bytes, created_at_ms, room_types)
        select '${projectId}', n, 0, 0, '[]' from generate_series(1, ${many}) n;
      insert into caps select '${projectId}', 'm' || n, 0 from generate_series(1, ${many}) n;
      insert into meter_uses
        select '${projectId}', n, 'roomHours', 0 from generate_series(1, ${many}) n;
      insert into meter_days
        select '${projectId}', n, 'roomHours', 0 from generate_series(1, ${many}) n`
  for (const statement of text.split(";")) yield* Effect.orDie(sql.unsafe(statement))
})

const tables = [
  "alarms",
  "players",
  "rooms",
  "api_keys",
  "jwt_secrets",
  "deployments",
  "caps"
].concat("meter_uses", "meter_days")

/** How much is stored of a project, by table. */
const countsOf = Effect.fnUntraced(function* (projectId: ProjectId) {
  const sql = yield* SqlClient.SqlClient
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const rows = yield* Effect.orDie(
      sql<{
        n: number
      }>`select count(*)::int as n from ${sql(table)} where project_id = ${projectId}`
    )
    counts[table] = rows[0]?.n ?? -1
  }
  const objects = yield* Effect.orDie(
    sql<{ n: number }>`select count(*)::int as n from objects where strpos(key, ${projectId}) > 0`
  )
  counts["objects"] = objects[0]?.n ?? -1
  return counts
})

const all = (many: number) => ({
  ...Object.fromEntries(tables.map((table) => [table, many])),
  objects: 2 * many
})

deletedProjectsContract("on PostgreSQL", TestStores)
deletedProjectsContract("in memory", MemoryStores)

layer(TestStores)("the tables of projects", (it) => {
  it.effect(
    "[C-270] every table with a project's rows is purged, but projects and the audit log",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* Effect.orDie(sql<{ readonly table: string }>`
        select table_name as table
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = current_schema() and column_name = 'project_id'
          and table_type = 'BASE TABLE'`)
        const purged = allTables.flatMap(({ purge }) =>
          purge.flatMap((each) =>
            "table" in each && each.through === undefined ? [each.table] : []
          )
        )
        expect([...purged, "projects", "audit"].toSorted()).toEqual(
          rows.map(({ table }) => table).toSorted()
        )
      })
  )

  it.effect("[limits.purgeRows] a part is bounded, one more is left to the next", () =>
    Effect.gen(function* () {
      const deleted = yield* DeletedProjects
      const gone = yield* newProject
      const { max } = ProjectLimits.purgeRows
      yield* fill(gone, max + 1)
      const objects = ProjectLimits.purgeObjects.max
      // Of the rooms one is up, so that all the others are one part.
      expect(yield* deleted.removeSome(gone)).toBe(tables.length * max + 2 * objects)
      expect(yield* countsOf(gone)).toEqual({ ...all(1), objects: 2 * (max + 1 - objects) })
    })
  )
})

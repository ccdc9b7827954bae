import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"

/** Settings that the owner of a project has set; `null` = the default holds. Spec: Project settings. */
export interface ProjectSettings extends Required<DeclaredSettings> {
  readonly connectionsPerIpPerMin: number | null
  readonly vmMemMib: number | null
}

/** The columns of an `update projects`: what is named becomes so, everything else stays. */
export const settingColumns = (
  sql: SqlClient.SqlClient,
  pg: PgClient.PgClient,
  settings: Partial<ProjectSettings>
) => {
  const { connectionsPerIpPerMin, vmMemMib, queues, boards, origins } = settings
  const { audienceRole, preRelease } = settings
  return sql`
    connections_per_ip_per_min = ${connectionsPerIpPerMin === undefined ? sql`connections_per_ip_per_min` : sql`${connectionsPerIpPerMin}::integer`},
    vm_mem_mib = ${vmMemMib === undefined ? sql`vm_mem_mib` : sql`${vmMemMib}::integer`},
    queues = ${queues === undefined ? sql`queues` : pg.json(queues)},
    boards = ${boards === undefined ? sql`boards` : pg.json(boards)},
    origins = ${origins === undefined ? sql`origins` : pg.json(origins)},
    audience_role = ${audienceRole === undefined ? sql`audience_role` : sql`${audienceRole}::text`},
    pre_release = ${preRelease === undefined ? sql`pre_release` : sql`${preRelease}::boolean`}`
}

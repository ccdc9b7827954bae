import { onDatabase } from "./onDatabase.ts"
import type { RunningService } from "./RunningService.ts"

/** The project `dev`. A service on a database of somebody else's does not make it by itself. */
export const devOf = async ({
  url,
  token,
  project,
  databaseUrl
}: Pick<RunningService, "url" | "token" | "project" | "databaseUrl">) => {
  await onDatabase(
    databaseUrl,
    (sql) => sql`
      insert into projects (project_id, account_id, name, plan, created_at_ms)
      select 'dev', account_id, 'dev', 'card', created_at_ms from projects
      where project_id = ${project}
      on conflict (project_id) do nothing`
  )
  return { url, token, project: "dev" }
}

import { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const WindowColumns = Schema.Array(
  Schema.Struct({ project_id: ProjectId, type: Schema.String, retention: Schema.String })
)
const decodeWindows = Schema.decodeUnknownEffect(WindowColumns)

/** The room types of all projects that declare how long their rooms are kept. */
export const declaredWindowsIn = (sql: SqlClient.SqlClient) =>
  sql`
    select project_id, type ->> 'type' as type, type ->> 'retention' as retention
    from projects join deployments using (project_id)
      cross join lateral jsonb_array_elements(room_types) as type
    where version = current_version and type ->> 'retention' is not null
    order by project_id, type ->> 'type'`.pipe(
    Effect.flatMap(decodeWindows),
    Effect.orDie,
    Effect.map((rows) =>
      rows.map(({ project_id: projectId, type, retention }) => ({ projectId, type, retention }))
    ),
    Effect.withSpan("DeploymentStore.declaredWindows")
  )

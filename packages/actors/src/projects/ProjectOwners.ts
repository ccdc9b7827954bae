import { isProjectId } from "@atrium/domain/shared/Ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { projectIn } from "./ProjectStore.ts"

/** The owner of each project. A failing store is a defect. */
export class ProjectOwners extends Context.Service<
  ProjectOwners,
  {
    /**
     * One query with the same answer, whether the project is another account's, was deleted, or never
     * was: neither bytes nor the time they take tell which. A malformed id costs no query.
     */
    owns(of: { readonly accountId: string; readonly projectId: string }): Effect.Effect<boolean>
  }
>()("@atrium/actors/projects/ProjectOwners") {
  static readonly layerSql = Layer.effect(
    ProjectOwners,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owns: ProjectOwners["Service"]["owns"] = Effect.fn("ProjectOwners.owns")(function* ({
        accountId,
        projectId
      }) {
        if (!isProjectId(projectId)) return false
        const rows = yield* Effect.orDie(sql`select 1 from projects
          where project_id = ${projectId} and account_id = ${accountId} and deleted_at_ms is null`)
        return rows.length > 0
      })
      return { owns }
    })
  )

  static readonly layerMemory = Layer.effect(
    ProjectOwners,
    Effect.map(MemoryDatabase, ({ tables, ask }) => ({
      owns: ({ accountId, projectId }) =>
        ask("ProjectOwners.owns", () => projectIn(tables, projectId)?.accountId === accountId)
    }))
  )
}

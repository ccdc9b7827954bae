import { ProjectId } from "@atrium/domain/Ids"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { randomHex } from "./Secrets.ts"

/** One project, as its row holds it. */
export interface ProjectRow {
  readonly projectId: ProjectId
  readonly accountId: string
  readonly name: string
  readonly plan: "free" | "card"
  readonly createdAtMs: number
  readonly currentVersion: number | null
}

const ProjectColumns = Schema.Struct({
  project_id: ProjectId,
  account_id: Schema.String,
  name: Schema.String,
  plan: Schema.Literals(["free", "card"]),
  created_at_ms: Schema.BigInt,
  current_version: Schema.NullOr(Schema.Int)
})
const decodeProjects = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(ProjectColumns)))

/** Projects. A failing store is a defect. */
export class ProjectStore extends Context.Service<
  ProjectStore,
  {
    create(accountId: string, name: string): Effect.Effect<ProjectRow>
    /** The project `dev` of a service on a developer's machine, made if it is not there. */
    ensureDev(accountId: string): Effect.Effect<ProjectRow>
    find(projectId: string): Effect.Effect<Option.Option<ProjectRow>>
    list(accountId: string): Effect.Effect<ReadonlyArray<ProjectRow>>
  }
>()("@atrium/actors/store/ProjectStore") {
  static readonly layerSql = Layer.effect(
    ProjectStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const insert = Effect.fnUntraced(function* (
        projectId: ProjectId,
        accountId: string,
        name: string
      ) {
        const createdAtMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into projects (project_id, account_id, name, plan, created_at_ms)
          values (${projectId}, ${accountId}, ${name}, 'card', ${createdAtMs})`)
        return {
          projectId,
          accountId,
          name,
          plan: "card" as const,
          createdAtMs,
          currentVersion: null
        }
      })

      const create = Effect.fn("ProjectStore.create")((accountId: string, name: string) =>
        insert(ProjectId.make(`p_${randomHex(16)}`), accountId, name)
      )

      const ensureDev = Effect.fn("ProjectStore.ensureDev")(function* (accountId: string) {
        const createdAtMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into projects (project_id, account_id, name, plan, created_at_ms)
          values ('dev', ${accountId}, 'dev', 'card', ${createdAtMs})
          on conflict (project_id) do nothing`)
        return Option.getOrThrow(yield* find("dev"))
      })

      const find = Effect.fn("ProjectStore.find")(function* (projectId: string) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select * from projects where project_id = ${projectId}`,
            decodeProjects
          )
        )
        return Option.map(Option.fromNullishOr(rows[0]), projectOf)
      })

      const list = Effect.fn("ProjectStore.list")(function* (accountId: string) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select * from projects where account_id = ${accountId}
                order by created_at_ms desc, project_id`,
            decodeProjects
          )
        )
        return rows.map(projectOf)
      })

      return { create, ensureDev, find, list }
    })
  )
}

const projectOf = (row: typeof ProjectColumns.Type): ProjectRow => ({
  projectId: row.project_id,
  accountId: row.account_id,
  name: row.name,
  plan: row.plan,
  createdAtMs: Number(row.created_at_ms),
  currentVersion: row.current_version
})

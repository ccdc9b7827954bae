import { Boards } from "@atrium/domain/boards/Boards"
import { Queues } from "@atrium/domain/match/Queues"
import { type Tier, Tiers } from "@atrium/domain/meters/Caps"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { Origins } from "@atrium/domain/projects/Origins"
import { isProjectId, ProjectId } from "@atrium/domain/shared/Ids"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { declareInMemory } from "../boards/MemoryBoards.ts"
import { byText, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { randomHex } from "../store/Secrets.ts"
import { NewProjectPlan } from "./NewProjectPlan.ts"
import { type ProjectSettings, settingColumns } from "./ProjectSettings.ts"

const Project = Schema.Struct({
  projectId: ProjectId,
  accountId: Schema.String,
  name: Schema.String,
  plan: Schema.Literals(Tiers),
  createdAtMs: Schema.Int,
  currentVersion: Schema.NullOr(Schema.Int),
  connectionsPerIpPerMin: Schema.NullOr(Schema.Int),
  vmMemMib: Schema.NullOr(Schema.Int),
  queues: Queues,
  boards: Boards,
  origins: Schema.Array(Schema.String),
  audienceRole: Schema.NullOr(Schema.String),
  preRelease: Schema.Boolean
})
const readProjects = readRows(Project)

/** One project, as its row holds it. */
export type ProjectRow = typeof Project.Type

/**
 * Projects. A deleted one keeps its row, so that its id is never given again, and is found by nothing
 * here any more. A failing store is a defect.
 */
export class ProjectStore extends Context.Service<
  ProjectStore,
  {
    create(accountId: string, name: string): Effect.Effect<ProjectRow>
    /** The project `dev` of a service on a developer's machine, made if it is not there. */
    ensureDev(accountId: string): Effect.Effect<ProjectRow>
    find(projectId: string): Effect.Effect<Option.Option<ProjectRow>>
    /** Newest first. Source: D-04. */
    list(accountId: string): Effect.Effect<ReadonlyArray<ProjectRow>>
    /** Whether the account has ever made a project; `dev` makes itself. */
    hadAny(accountId: string): Effect.Effect<boolean>
    /** Sets what is named, all of it or nothing; none = no project of that id has that name. */
    set(
      project: { readonly projectId: ProjectId; readonly name: string },
      settings: Partial<ProjectSettings>
    ): Effect.Effect<Option.Option<ProjectRow>>
    /** Sets what a project file declares, all of it or nothing. @returns whether the project was there */
    declare(projectId: ProjectId, settings: DeclaredSettings): Effect.Effect<boolean>
    /** The pages that may ask for the project; none = there is no such project. Source: D-56. */
    origins(projectId: string): Effect.Effect<Option.Option<Origins>>
    rename(projectId: ProjectId, name: string): Effect.Effect<Option.Option<ProjectRow>>
    /** @returns whether the project was there */
    setPlan(projectId: string, plan: Tier): Effect.Effect<boolean>
    /**
     * From here on the project has no owner; its stored rows and objects are removed later. The project
     * `dev` makes itself at every start, so it stays. @returns whether the project was there
     */
    delete(projectId: ProjectId): Effect.Effect<boolean, BadRequest>
  }
>()("@atrium/actors/projects/ProjectStore") {
  static readonly layerSql = Layer.effect(
    ProjectStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = projectSettings(sql, yield* PgClient.PgClient)
      const plan = yield* NewProjectPlan

      const create = Effect.fn("ProjectStore.create")(function* (accountId: string, name: string) {
        const createdAtMs = yield* Clock.currentTimeMillis
        const rows = yield* readProjects(sql`
          insert into projects (project_id, account_id, name, plan, created_at_ms)
          values (${`p_${randomHex(16)}`}, ${accountId}, ${name}, ${plan}, ${createdAtMs})
          returning *`)
        return Option.getOrThrow(firstOf(rows))
      })

      const ensureDev = Effect.fn("ProjectStore.ensureDev")(function* (accountId: string) {
        const createdAtMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into projects (project_id, account_id, name, plan, created_at_ms)
          values ('dev', ${accountId}, 'dev', 'card', ${createdAtMs})
          on conflict (project_id) do nothing`)
        return Option.getOrThrow(yield* find("dev"))
      })

      const find = Effect.fn("ProjectStore.find")(function* (projectId: string) {
        if (!isProjectId(projectId)) return Option.none()
        return firstOf(
          yield* readProjects(
            sql`select * from projects where project_id = ${projectId} and deleted_at_ms is null`
          )
        )
      })

      const origins = Effect.fn("ProjectStore.origins")(function* (projectId: string) {
        if (!isProjectId(projectId)) return Option.none()
        const rows = yield* Effect.orDie(sql<{ readonly origins: Origins }>`
          select origins from projects where project_id = ${projectId} and deleted_at_ms is null`)
        return Option.fromNullishOr(rows[0]?.origins)
      })

      const list = Effect.fn("ProjectStore.list")((accountId: string) =>
        readProjects(
          sql`select * from projects where account_id = ${accountId} and deleted_at_ms is null
              order by created_at_ms desc, project_id`
        )
      )

      const hadAny = Effect.fn("ProjectStore.hadAny")(function* (accountId: string) {
        const rows = yield* Effect.orDie(sql`select 1 from projects
          where account_id = ${accountId} and project_id <> 'dev' limit 1`)
        return rows.length > 0
      })

      return { create, ensureDev, find, origins, list, hadAny, ...settings }
    })
  )

  static readonly layerMemory = Layer.effect(
    ProjectStore,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const plan = yield* NewProjectPlan
      const { tables, ask } = database
      const projects = projectTable.rowsIn(tables)
      const add = (project: Pick<ProjectRow, "projectId" | "accountId" | "name" | "plan">) =>
        Effect.flatMap(Clock.currentTimeMillis, (createdAtMs) =>
          ask("ProjectStore.create", () => {
            const known = projects.get(project.projectId)
            if (known !== undefined) return known
            const made = { ...untouched, ...project, createdAtMs }
            projects.set(project.projectId, made)
            return made
          })
        )
      const ofAccount = (accountId: string) =>
        [...projects.values()].filter((project) => project.accountId === accountId)
      return {
        create: (accountId, name) =>
          Effect.suspend(() =>
            add({ projectId: ProjectId.make(`p_${randomHex(16)}`), accountId, name, plan })
          ),
        ensureDev: (accountId) =>
          add({ projectId: ProjectId.make("dev"), accountId, name: "dev", plan: "card" }),
        find: (projectId) =>
          ask("ProjectStore.find", () => Option.fromNullishOr(projectIn(tables, projectId))),
        origins: (projectId) =>
          ask("ProjectStore.origins", () =>
            Option.fromNullishOr(projectIn(tables, projectId)?.origins)
          ),
        list: (accountId) =>
          ask("ProjectStore.list", () =>
            ofAccount(accountId)
              .filter(({ projectId }) => projectIn(tables, projectId) !== null)
              .sort(newestFirst)
          ),
        hadAny: (accountId) =>
          ask("ProjectStore.hadAny", () =>
            ofAccount(accountId).some(({ projectId }) => projectId !== "dev")
          ),
        ...memorySettings(database)
      }
    })
  )
}

const devStays = Effect.suspend(() =>
  Effect.fail(new BadRequest({ message: "id: the project dev makes itself, and stays" }))
)

/** The changes of a project that is there. */
const projectSettings = (sql: SqlClient.SqlClient, pg: PgClient.PgClient) => {
  const set = Effect.fn("ProjectStore.set")(function* (
    { projectId, name }: { readonly projectId: ProjectId; readonly name: string },
    settings: Partial<ProjectSettings>
  ) {
    const rows = yield* readProjects(sql`
      update projects set ${settingColumns(sql, pg, settings)}
      where project_id = ${projectId} and name = ${name} and deleted_at_ms is null
      returning *`)
    return firstOf(rows)
  })

  const declare = Effect.fn("ProjectStore.declare")(function* (
    projectId: ProjectId,
    settings: DeclaredSettings
  ) {
    const rows = yield* Effect.orDie(sql`
      update projects set ${settingColumns(sql, pg, settings)}
      where project_id = ${projectId} and deleted_at_ms is null
      returning 1`)
    return rows.length > 0
  })

  const rename = Effect.fn("ProjectStore.rename")(function* (projectId: ProjectId, name: string) {
    const rows = yield* readProjects(sql`
      update projects set name = ${name}
      where project_id = ${projectId} and deleted_at_ms is null
      returning *`)
    return firstOf(rows)
  })

  const remove = Effect.fn("ProjectStore.delete")(function* (projectId: ProjectId) {
    if (projectId === "dev") return yield* devStays
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* Effect.orDie(sql`
      update projects set deleted_at_ms = ${nowMs}
      where project_id = ${projectId} and deleted_at_ms is null
      returning 1`)
    return rows.length > 0
  })

  const setPlan = Effect.fn("ProjectStore.setPlan")(function* (projectId: string, plan: Tier) {
    if (!isProjectId(projectId)) return false
    const rows = yield* Effect.orDie(sql`
      update projects set plan = ${plan}
      where project_id = ${projectId} and deleted_at_ms is null
      returning 1`)
    return rows.length > 0
  })

  return { set, declare, rename, setPlan, delete: remove }
}

const firstOf = (rows: ReadonlyArray<ProjectRow>): Option.Option<ProjectRow> =>
  Option.fromNullishOr(rows[0])

/** The projects, by id; a deleted project keeps its row. */
export const projectTable = new MemoryTable<ProjectRow>()

/** When a project was deleted, Unix milliseconds, by its id. */
export const deletionTable = new MemoryTable<number>()

/** The values of the columns that a new row does not name. */
const untouched = {
  currentVersion: null,
  connectionsPerIpPerMin: null,
  vmMemMib: null,
  queues: {},
  boards: {},
  origins: ["*"],
  audienceRole: null,
  preRelease: false
} as const

const newestFirst = (one: ProjectRow, other: ProjectRow): number =>
  other.createdAtMs - one.createdAtMs || byText(one.projectId, other.projectId)

/** A project that is there and not deleted. */
export const projectIn = (tables: MemoryTables, projectId: string): ProjectRow | null =>
  deletionTable.rowsIn(tables).has(projectId)
    ? null
    : (projectTable.rowsIn(tables).get(projectId) ?? null)

/** The changes of a project that is there, on the tables in memory. */
const memorySettings = ({ tables, ask }: MemoryDatabase["Service"]) => {
  const change = (
    project: ProjectRow | null,
    columns: Partial<ProjectRow>
  ): Option.Option<ProjectRow> => {
    if (project === null) return Option.none()
    const changed = { ...project, ...structuredClone(columns) }
    projectTable.rowsIn(tables).set(project.projectId, changed)
    declareInMemory(tables, project.projectId, changed.boards)
    return Option.some(changed)
  }
  return {
    set: (
      { projectId, name }: { readonly projectId: ProjectId; readonly name: string },
      settings: Partial<ProjectSettings>
    ) =>
      ask("ProjectStore.set", () => {
        const project = projectIn(tables, projectId)
        return change(project?.name === name ? project : null, settings)
      }),
    declare: (projectId: ProjectId, settings: DeclaredSettings) =>
      ask("ProjectStore.declare", () =>
        Option.isSome(change(projectIn(tables, projectId), settings))
      ),
    rename: (projectId: ProjectId, name: string) =>
      ask("ProjectStore.rename", () => change(projectIn(tables, projectId), { name })),
    setPlan: (projectId: string, plan: Tier) =>
      ask("ProjectStore.setPlan", () =>
        Option.isSome(change(projectIn(tables, projectId), { plan }))
      ),
    delete: (projectId: ProjectId) =>
      Effect.gen(function* () {
        if (projectId === "dev") return yield* devStays
        const deletedAtMs = yield* Clock.currentTimeMillis
        return yield* ask("ProjectStore.delete", () => {
          if (projectIn(tables, projectId) === null) return false
          deletionTable.rowsIn(tables).set(projectId, deletedAtMs)
          declareInMemory(tables, projectId, {})
          return true
        })
      })
  }
}

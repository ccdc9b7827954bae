import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { declareInMemory } from "../boards/MemoryBoards.ts"
import { copyInMemory, ObjectStore, putInMemory } from "../objects/ObjectStore.ts"
import { settingColumns } from "../projects/ProjectSettings.ts"
import { projectIn, projectTable } from "../projects/ProjectStore.ts"
import { bundleKey } from "../rooms/RoomObjects.ts"
import type { DeclaredWindow } from "../rooms/RoomSweeps.ts"
import { byText, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"
import { bundlesFrom } from "./BundlesRead.ts"
import { declaredWindowsIn } from "./DeclaredWindows.ts"
import { DeployedType } from "./DeployedType.ts"

/** A version of a project's room code. It never changes, and stays as long as its project. Spec: Versioning. */
export interface DeploymentRow {
  readonly projectId: ProjectId
  readonly version: number
  readonly bytes: number
  readonly createdAtMs: number
  readonly roomTypes: ReadonlyArray<DeployedType>
  /** Its rooms run no code of the project. */
  readonly relay: boolean
  /** The version that was uploaded with this code and schema, if a rollback made this one. Source: C-350. */
  readonly rollbackOf: number | null
}

/** A deployment as it is added: version and moment are the store's. */
export interface NewDeployment {
  readonly bundle: Uint8Array
  readonly roomTypes: ReadonlyArray<DeployedType>
  /** Its rooms run no code; left out = they do. */
  readonly relay?: boolean
  /** Settings of the project that become so together with the version. Source: C-321. */
  readonly settings?: DeclaredSettings
}

/**
 * Says what speaks against a deployment. It is asked about the very version that would be replaced:
 * of two deployments that arrive at once, the second is judged by the first.
 */
export type Objection = (current: DeploymentRow | null) => string | null

/** There was an objection. Nothing was stored. */
export class DeploymentRefused extends Data.TaggedError("DeploymentRefused")<{
  readonly objection: string
}> {}

const DeploymentColumns = Schema.Struct({
  version: Schema.Int,
  bytes: Schema.Int,
  created_at_ms: Schema.BigInt,
  room_types: Schema.Array(DeployedType),
  relay: Schema.Boolean,
  rollback_of: Schema.NullOr(Schema.Int)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(DeploymentColumns)))

/** Deployments and their bundles; what never changes is read once. A failing store is a defect. */
export class DeploymentStore extends Context.Service<
  DeploymentStore,
  {
    /** Stores bundle and types as the project's next version and makes it the current one. */
    add(
      projectId: ProjectId,
      deployment: NewDeployment,
      objection: Objection
    ): Effect.Effect<DeploymentRow, DeploymentRefused | NotFound>
    /** The same with the bundle and the types of a version that is there: the store copies the bundle itself. */
    addAgain(
      deployed: DeploymentRow,
      objection: Objection
    ): Effect.Effect<DeploymentRow, DeploymentRefused | NotFound>
    current(projectId: ProjectId): Effect.Effect<Option.Option<DeploymentRow>>
    /** The current versions of these projects, without those that have none or are deleted. */
    currentVersions(
      projectIds: ReadonlyArray<ProjectId>
    ): Effect.Effect<ReadonlyMap<ProjectId, number>>
    find(projectId: ProjectId, version: number): Effect.Effect<Option.Option<DeploymentRow>>
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<DeploymentRow>>
    /** The room types of all projects that declare how long their rooms are kept. */
    readonly declaredWindows: Effect.Effect<ReadonlyArray<DeclaredWindow>>
    bundle(projectId: ProjectId, version: number): Effect.Effect<Uint8Array>
  }
>()("@atrium/actors/deployments/DeploymentStore") {
  static readonly layerSql = Layer.effect(
    DeploymentStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient
      const objects = yield* ObjectStore
      const find = finding(readingRow(sql))

      const current = Effect.fn("DeploymentStore.current")(function* (projectId: ProjectId) {
        const rows = yield* Effect.orDie(sql<{ readonly current_version: number | null }>`
          select current_version from projects
          where project_id = ${projectId} and deleted_at_ms is null`)
        const version = rows[0]?.current_version ?? null
        return version === null ? Option.none() : yield* find(projectId, version)
      })

      const add = addingBy(sql, pg, current)

      const list = Effect.fn("DeploymentStore.list")((projectId: ProjectId) =>
        rowsOf(
          projectId,
          sql`select version, bytes, created_at_ms, room_types, relay, rollback_of from deployments
              where project_id = ${projectId} order by version desc`
        )
      )

      return {
        add: (projectId, deployment, objection) => {
          const { bundle, ...adding } = addingOf(projectId, deployment)
          return objects.place(bundle).pipe(
            Effect.flatMap((at) => {
              const store = (key: string) => objects.putAll([{ key, at, manifest: {} }])
              return Effect.onError(add(adding, store, objection), () => objects.discard([at]))
            }),
            Effect.withSpan("DeploymentStore.add")
          )
        },
        addAgain: (deployed, objection) => {
          const from = bundleKey(deployed.projectId, deployed.version)
          const store = (key: string) => objects.copy(from, key)
          const adding = addingAgain(deployed)
          return Effect.withSpan(add(adding, store, objection), "DeploymentStore.addAgain")
        },
        current,
        find,
        list,
        currentVersions: currentVersionsIn(sql),
        declaredWindows: declaredWindowsIn(sql),
        bundle: bundlesFrom(objects)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    DeploymentStore,
    Effect.gen(function* () {
      const { tables, ask } = yield* MemoryDatabase
      const objects = yield* ObjectStore
      const find = finding((projectId, version) =>
        ask("DeploymentStore.find", () => deploymentsIn(tables, projectId).get(version))
      )
      const add = Effect.fnUntraced(function* (
        adding: Added,
        store: StoreInMemory,
        objection: Objection
      ) {
        const createdAtMs = yield* Clock.currentTimeMillis
        const added = yield* ask("DeploymentStore.add", () =>
          addIn(tables, { ...adding, createdAtMs, store, objection })
        )
        if (added === null) return yield* new NotFound()
        if (typeof added === "string") return yield* new DeploymentRefused({ objection: added })
        return added
      })
      return {
        add: (projectId, deployment, objection) => {
          const { bundle, ...adding } = addingOf(projectId, deployment)
          return add(
            adding,
            (key, nowMs) => putInMemory(tables, [{ key, bytes: bundle, manifest: {} }], nowMs),
            objection
          )
        },
        addAgain: (deployed, objection) => {
          const from = bundleKey(deployed.projectId, deployed.version)
          return add(
            addingAgain(deployed),
            (to, nowMs) => copyInMemory(tables, { from, to }, nowMs),
            objection
          )
        },
        current: Effect.fnUntraced(function* (projectId: ProjectId) {
          const version = yield* ask(
            "DeploymentStore.current",
            () => projectIn(tables, projectId)?.currentVersion ?? null
          )
          return version === null ? Option.none() : yield* find(projectId, version)
        }),
        currentVersions: (projectIds) =>
          ask("DeploymentStore.currentVersions", () => versionsIn(tables, projectIds)),
        find,
        list: (projectId) =>
          ask("DeploymentStore.list", () =>
            [...deploymentsIn(tables, projectId).values()].reverse()
          ),
        declaredWindows: ask("DeploymentStore.declaredWindows", () => windowsIn(tables)),
        bundle: bundlesFrom(objects)
      }
    })
  )
}

/** A row without its version and its moment. */
type AddingRow = Omit<DeploymentRow, "version" | "createdAtMs">

/** The same with the settings that become so with it. */
interface Added extends AddingRow {
  readonly settings: DeclaredSettings
}

const addingOf = (
  projectId: ProjectId,
  { bundle, roomTypes, relay = false, settings = {} }: NewDeployment
): Added & { readonly bundle: Uint8Array } => ({
  projectId,
  roomTypes,
  relay,
  bundle,
  bytes: bundle.length,
  rollbackOf: null,
  settings
})

const addingAgain = (deployed: DeploymentRow): Added => ({
  projectId: deployed.projectId,
  roomTypes: deployed.roomTypes,
  relay: deployed.relay,
  bytes: deployed.bytes,
  rollbackOf: deployed.rollbackOf ?? deployed.version,
  settings: {}
})

/** Adds a row; `store` puts its bundle under the key, in the same transaction. */
const addingBy = (
  sql: SqlClient.SqlClient,
  pg: PgClient.PgClient,
  current: (projectId: ProjectId) => Effect.Effect<Option.Option<DeploymentRow>>
) =>
  Effect.fnUntraced(function* (
    { settings, ...adding }: Added,
    store: (key: string) => Effect.Effect<void>,
    objection: Objection
  ) {
    const { projectId, roomTypes, relay, bytes, rollbackOf } = adding
    const createdAtMs = yield* Clock.currentTimeMillis
    const write = Effect.gen(function* () {
      // The project's row orders deployments that arrive at once.
      const there = yield* sql`select 1 from projects
        where project_id = ${projectId} and deleted_at_ms is null for update`
      if (there.length === 0) return yield* new NotFound()
      const against = objection(Option.getOrNull(yield* current(projectId)))
      if (against !== null) return yield* new DeploymentRefused({ objection: against })
      const last = yield* sql<{ readonly version: number | null }>`
        select max(version) as version from deployments where project_id = ${projectId}`
      const version = (last[0]?.version ?? 0) + 1
      yield* store(bundleKey(projectId, version))
      yield* sql`
        insert into deployments
          (project_id, version, bytes, created_at_ms, room_types, relay, rollback_of)
        values (${projectId}, ${version}, ${bytes}, ${createdAtMs}, ${pg.json(roomTypes)},
          ${relay}, ${rollbackOf})`
      yield* sql`
        update projects set current_version = ${version}, ${settingColumns(sql, pg, settings)}
        where project_id = ${projectId}`
      return version
    })
    const version = yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
    return { ...adding, version, createdAtMs }
  })

type ReadRow = (projectId: ProjectId, version: number) => Effect.Effect<DeploymentRow | undefined>

const readingRow =
  (sql: SqlClient.SqlClient): ReadRow =>
  (projectId, version) =>
    Effect.map(
      rowsOf(
        projectId,
        sql`select version, bytes, created_at_ms, room_types, relay, rollback_of from deployments
            where project_id = ${projectId} and version = ${version}`
      ),
      (rows) => rows[0]
    )

/** Finds rows, and keeps those that were read last. */
const finding = (read: ReadRow) => {
  const rowsRead = new RecentlyRead<DeploymentRow>({
    weightMax: DeploymentLimits.deploymentsRead.max,
    weightOf: () => 1
  })
  return Effect.fn("DeploymentStore.find")(function* (projectId: ProjectId, version: number) {
    const key = `${projectId}/${version}`
    const known = rowsRead.get(key)
    if (known !== undefined) return Option.some(known)
    const row = yield* read(projectId, version)
    if (row !== undefined) rowsRead.set(key, row)
    return Option.fromNullishOr(row)
  })
}

const currentVersionsIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("DeploymentStore.currentVersions")(function* (projectIds: ReadonlyArray<ProjectId>) {
    if (projectIds.length === 0) return new Map<ProjectId, number>()
    const rows = yield* Effect.orDie(sql<{
      readonly project_id: ProjectId
      readonly current_version: number
    }>`
      select project_id, current_version
      from projects join json_array_elements_text(${JSON.stringify(projectIds)}::json) wanted(id)
        on project_id = wanted.id
      where current_version is not null and deleted_at_ms is null`)
    return new Map(rows.map((row) => [row.project_id, row.current_version]))
  })

const rowsOf = <E>(
  projectId: ProjectId,
  query: Effect.Effect<unknown, E>
): Effect.Effect<ReadonlyArray<DeploymentRow>> =>
  query.pipe(
    Effect.flatMap(decodeRows),
    Effect.orDie,
    Effect.map((rows) =>
      rows.map((row) => ({
        projectId,
        version: row.version,
        bytes: row.bytes,
        createdAtMs: Number(row.created_at_ms),
        roomTypes: row.room_types,
        relay: row.relay,
        rollbackOf: row.rollback_of
      }))
    )
  )

/** The deployments of each project in the order of their versions, by the project's id. */
export const deploymentTable = new MemoryTable<Map<number, DeploymentRow>>()

const deploymentsIn = (tables: MemoryTables, projectId: ProjectId) =>
  deploymentTable.rowsIn(tables).get(projectId) ?? new Map<number, DeploymentRow>()

const currentIn = (tables: MemoryTables, projectId: ProjectId): DeploymentRow | null => {
  const version = projectIn(tables, projectId)?.currentVersion ?? null
  return version === null ? null : (deploymentsIn(tables, projectId).get(version) ?? null)
}

const versionsIn = (tables: MemoryTables, projectIds: ReadonlyArray<ProjectId>) => {
  const versions = new Map<ProjectId, number>()
  for (const projectId of projectIds) {
    const version = projectIn(tables, projectId)?.currentVersion ?? null
    if (version !== null) versions.set(projectId, version)
  }
  return versions
}

/** Puts a bundle under a key, in the tables in memory. */
type StoreInMemory = (key: string, nowMs: number) => void

interface Adding extends Added {
  readonly createdAtMs: number
  readonly store: StoreInMemory
  readonly objection: Objection
}

/** @returns the row; a text = what speaks against it; `null` = there is no such project */
const addIn = (
  tables: MemoryTables,
  { store, objection, settings, ...adding }: Adding
): DeploymentRow | string | null => {
  const { projectId, createdAtMs } = adding
  const project = projectIn(tables, projectId)
  if (project === null) return null
  const against = objection(currentIn(tables, projectId))
  if (against !== null) return against
  const deployments = deploymentsIn(tables, projectId)
  const version = Math.max(0, ...deployments.keys()) + 1
  const row = { ...adding, version, roomTypes: structuredClone(adding.roomTypes) }
  store(bundleKey(projectId, version), createdAtMs)
  deploymentTable.rowsIn(tables).set(projectId, deployments.set(version, row))
  const declared = structuredClone(settings)
  const changed = { ...project, ...declared, currentVersion: version }
  projectTable.rowsIn(tables).set(projectId, changed)
  declareInMemory(tables, projectId, changed.boards)
  return row
}

const windowsIn = (tables: MemoryTables): ReadonlyArray<DeclaredWindow> =>
  [...projectTable.rowsIn(tables).values()]
    .flatMap(({ projectId, currentVersion }) => {
      const current = deploymentsIn(tables, projectId).get(currentVersion ?? 0)
      return (current?.roomTypes ?? []).flatMap(({ type, retention }) =>
        retention === null ? [] : [{ projectId, type, retention }]
      )
    })
    .sort((one, other) => byText(one.projectId, other.projectId) || byText(one.type, other.type))

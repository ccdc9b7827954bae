import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { ObjectStore, putInMemory } from "../objects/ObjectStore.ts"
import { projectIn, projectTable } from "../projects/ProjectStore.ts"
import { bundleKey } from "../rooms/RoomObjects.ts"
import type { DeclaredWindow } from "../rooms/RoomSweeps.ts"
import { byText, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"

/** One room type of a deployment: what its schema declares, and the schema's descriptor itself. */
export const DeployedType = Schema.Struct({
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  maxClients: Schema.Int,
  tickHz: Schema.Number,
  hibernateAfterMs: Schema.Int,
  reconnectForMs: Schema.Int,
  retention: Schema.NullOr(Schema.String),
  schemaHash: Schema.String,
  schema: Schema.Json
})
export type DeployedType = typeof DeployedType.Type

/** A version of a project's room code. Immutable once made, kept for ever. Spec: Versioning. */
export interface DeploymentRow {
  readonly projectId: ProjectId
  readonly version: number
  readonly bytes: number
  readonly createdAtMs: number
  readonly roomTypes: ReadonlyArray<DeployedType>
  /** Its rooms run no code of the project. */
  readonly relay: boolean
}

/** A deployment as it is added: version and moment are the store's. */
export interface NewDeployment {
  readonly bundle: Uint8Array
  readonly roomTypes: ReadonlyArray<DeployedType>
  /** Its rooms run no code; left out = they do. */
  readonly relay?: boolean
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
  relay: Schema.Boolean
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

      const add = Effect.fn("DeploymentStore.add")(function* (
        projectId: ProjectId,
        { bundle, roomTypes, relay = false }: NewDeployment,
        objection: Objection
      ) {
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
          yield* objects.put({ key: bundleKey(projectId, version), bytes: bundle, manifest: {} })
          yield* sql`
            insert into deployments (project_id, version, bytes, created_at_ms, room_types, relay)
            values (${projectId}, ${version}, ${bundle.length}, ${createdAtMs}, ${pg.json(roomTypes)},
              ${relay})`
          yield* sql`
            update projects set current_version = ${version} where project_id = ${projectId}`
          return version
        })
        const version = yield* sql
          .withTransaction(write)
          .pipe(Effect.catchTag("SqlError", Effect.die))
        return {
          projectId,
          version,
          createdAtMs,
          roomTypes,
          relay,
          bytes: bundle.length
        }
      })

      const list = Effect.fn("DeploymentStore.list")((projectId: ProjectId) =>
        rowsOf(
          projectId,
          sql`select version, bytes, created_at_ms, room_types, relay from deployments
              where project_id = ${projectId} order by version desc`
        )
      )

      return {
        add,
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
      return {
        add: (projectId, deployment, objection) =>
          Effect.gen(function* () {
            const createdAtMs = yield* Clock.currentTimeMillis
            const added = yield* ask("DeploymentStore.add", () =>
              addIn(tables, { ...deployment, projectId, createdAtMs, objection })
            )
            if (added === null) return yield* new NotFound()
            if (typeof added === "string") {
              return yield* new DeploymentRefused({ objection: added })
            }
            return added
          }),
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

type ReadRow = (projectId: ProjectId, version: number) => Effect.Effect<DeploymentRow | undefined>

const readingRow =
  (sql: SqlClient.SqlClient): ReadRow =>
  (projectId, version) =>
    Effect.map(
      rowsOf(
        projectId,
        sql`select version, bytes, created_at_ms, room_types, relay from deployments
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

const WindowColumns = Schema.Array(
  Schema.Struct({ project_id: ProjectId, type: Schema.String, retention: Schema.String })
)
const decodeWindows = Schema.decodeUnknownEffect(WindowColumns)

const declaredWindowsIn = (sql: SqlClient.SqlClient) =>
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
        relay: row.relay
      }))
    )
  )

/** Reads bundles, and keeps those that were read last. */
const bundlesFrom = (objects: ObjectStore["Service"]) => {
  const read = new RecentlyRead<Uint8Array>({
    weightMax: DeploymentLimits.bundlesReadBytes.max,
    weightOf: (bytes) => bytes.length
  })
  return Effect.fn("DeploymentStore.bundle")(function* (projectId: ProjectId, version: number) {
    const key = bundleKey(projectId, version)
    const known = read.get(key)
    if (known !== undefined) return known
    const bytes = yield* objects.get(key)
    if (Option.isNone(bytes)) return yield* Effect.die(new Error(`bundle ${key} is missing`))
    // Rooms that start at once get the very same bytes: processes are prepared for them, by identity.
    const meanwhile = read.get(key)
    if (meanwhile !== undefined) return meanwhile
    read.set(key, bytes.value)
    return bytes.value
  })
}

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

interface Adding extends NewDeployment {
  readonly projectId: ProjectId
  readonly createdAtMs: number
  readonly objection: Objection
}

/** @returns the row; a text = what speaks against it; `null` = there is no such project */
const addIn = (
  tables: MemoryTables,
  { projectId, createdAtMs, objection, bundle, roomTypes, relay = false }: Adding
): DeploymentRow | string | null => {
  const project = projectIn(tables, projectId)
  if (project === null) return null
  const against = objection(currentIn(tables, projectId))
  if (against !== null) return against
  const deployments = deploymentsIn(tables, projectId)
  const version = Math.max(0, ...deployments.keys()) + 1
  const row = {
    projectId,
    version,
    bytes: bundle.length,
    createdAtMs,
    roomTypes: structuredClone(roomTypes),
    relay
  }
  putInMemory(
    tables,
    [{ key: bundleKey(projectId, version), bytes: bundle, manifest: {} }],
    createdAtMs
  )
  deploymentTable.rowsIn(tables).set(projectId, deployments.set(version, row))
  projectTable.rowsIn(tables).set(projectId, { ...project, currentVersion: version })
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

import type { ProjectId } from "@atrium/domain/Ids"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { ObjectStore } from "./ObjectStore.ts"
import { bundleKey } from "./RoomObjects.ts"

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
}

const DeploymentColumns = Schema.Struct({
  version: Schema.Int,
  bytes: Schema.Int,
  created_at_ms: Schema.BigInt,
  room_types: Schema.Array(DeployedType)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(DeploymentColumns)))

/** Deployments and their bundles; what never changes is read once. A failing store is a defect. */
export class DeploymentStore extends Context.Service<
  DeploymentStore,
  {
    /** Stores bundle and types as the project's next version and makes it the current one. */
    add(
      projectId: ProjectId,
      deployment: { readonly bundle: Uint8Array; readonly roomTypes: ReadonlyArray<DeployedType> }
    ): Effect.Effect<DeploymentRow>
    current(projectId: ProjectId): Effect.Effect<Option.Option<DeploymentRow>>
    find(projectId: ProjectId, version: number): Effect.Effect<Option.Option<DeploymentRow>>
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<DeploymentRow>>
    bundle(projectId: ProjectId, version: number): Effect.Effect<Uint8Array>
  }
>()("@atrium/actors/store/DeploymentStore") {
  static readonly layer = Layer.effect(
    DeploymentStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient
      const objects = yield* ObjectStore
      const rowsRead = new RecentlyRead<DeploymentRow>(1024)
      const bundlesRead = new RecentlyRead<Uint8Array>(16)

      const add = Effect.fn("DeploymentStore.add")(function* (
        projectId: ProjectId,
        deployment: { readonly bundle: Uint8Array; readonly roomTypes: ReadonlyArray<DeployedType> }
      ) {
        const createdAtMs = yield* Clock.currentTimeMillis
        const { bundle, roomTypes } = deployment
        const write = Effect.gen(function* () {
          // The project's row orders deployments that arrive at once.
          yield* sql`select 1 from projects where project_id = ${projectId} for update`
          const last = yield* sql<{ readonly version: number | null }>`
            select max(version) as version from deployments where project_id = ${projectId}`
          const version = (last[0]?.version ?? 0) + 1
          yield* objects.put({ key: bundleKey(projectId, version), bytes: bundle, manifest: {} })
          yield* sql`
            insert into deployments (project_id, version, bytes, created_at_ms, room_types)
            values (${projectId}, ${version}, ${bundle.length}, ${createdAtMs}, ${pg.json(roomTypes)})`
          yield* sql`
            update projects set current_version = ${version} where project_id = ${projectId}`
          return version
        })
        const version = yield* Effect.orDie(sql.withTransaction(write))
        return { projectId, version, bytes: bundle.length, createdAtMs, roomTypes }
      })

      const rowOf =
        (projectId: ProjectId) =>
        (row: typeof DeploymentColumns.Type): DeploymentRow => ({
          projectId,
          version: row.version,
          bytes: row.bytes,
          createdAtMs: Number(row.created_at_ms),
          roomTypes: row.room_types
        })

      const find = Effect.fn("DeploymentStore.find")(function* (
        projectId: ProjectId,
        version: number
      ) {
        const key = `${projectId}/${version}`
        const known = rowsRead.get(key)
        if (known !== undefined) return Option.some(known)
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select version, bytes, created_at_ms, room_types from deployments
                where project_id = ${projectId} and version = ${version}`,
            decodeRows
          )
        )
        const row = rows.map(rowOf(projectId))[0]
        if (row !== undefined) rowsRead.set(key, row)
        return Option.fromNullishOr(row)
      })

      const current = Effect.fn("DeploymentStore.current")(function* (projectId: ProjectId) {
        const rows = yield* Effect.orDie(sql<{ readonly current_version: number | null }>`
          select current_version from projects where project_id = ${projectId}`)
        const version = rows[0]?.current_version ?? null
        return version === null ? Option.none() : yield* find(projectId, version)
      })

      const list = Effect.fn("DeploymentStore.list")(function* (projectId: ProjectId) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select version, bytes, created_at_ms, room_types from deployments
                where project_id = ${projectId} order by version desc`,
            decodeRows
          )
        )
        return rows.map(rowOf(projectId))
      })

      const bundle = Effect.fn("DeploymentStore.bundle")(function* (
        projectId: ProjectId,
        version: number
      ) {
        const key = bundleKey(projectId, version)
        const known = bundlesRead.get(key)
        if (known !== undefined) return known
        const bytes = yield* objects.get(key)
        if (Option.isNone(bytes)) return yield* Effect.die(new Error(`bundle ${key} is missing`))
        bundlesRead.set(key, bytes.value)
        return bytes.value
      })

      return { add, current, find, list, bundle }
    })
  )
}

/** The values read last, at most `most` of them: immutable rows need no other rule. */
class RecentlyRead<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, value)
    }
    return value
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value)
    const oldest = this.#values.keys().next()
    if (this.#values.size > this.#most && oldest.done !== true) this.#values.delete(oldest.value)
  }
}

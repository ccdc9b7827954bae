import { KeyId, ProjectId } from "@atrium/domain/shared/Ids"
import { type Scope, Scopes } from "@atrium/domain/shared/Scope"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import { hashSecret, makeSecret, randomHex } from "../store/Secrets.ts"
import { ApiKeyState } from "./ApiKeyMachine.ts"

/** One API key as a listing shows it; its secret is in no row. */
export interface ApiKeyRow {
  readonly keyId: KeyId
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAtMs: number
  readonly lastUsedMs: number | null
  readonly revokedAtMs: number | null
}

/** A new key; its secret is nowhere else. */
export interface MintedApiKey extends ApiKeyRow {
  readonly secret: string
}

/** What a secret opens. */
export interface KeyOfSecret {
  readonly keyId: KeyId
  /** The key's project has not been deleted. */
  readonly projectStands: boolean
}

const scopes = Schema.Array(Schema.Literals(Scopes))
const KeyColumns = Schema.Struct({
  key_id: KeyId,
  project_id: ProjectId,
  label: Schema.String,
  scopes,
  created_at_ms: Schema.BigInt,
  last_used_ms: Schema.NullOr(Schema.BigInt),
  revoked_at_ms: Schema.NullOr(Schema.BigInt)
})
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(KeyColumns)))

const OpenedColumns = Schema.Struct({ key_id: KeyId, stands: Schema.Boolean })
const decodeOpened = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(OpenedColumns)))

/** API keys, known by the SHA-256 of their secrets only. A failing store is a defect. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    mint(key: {
      readonly projectId: ProjectId
      readonly label: string
      readonly scopes: ReadonlyArray<Scope>
    }): Effect.Effect<MintedApiKey>
    /** Newest first, the revoked ones among them. */
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<ApiKeyRow>>
    find(keyId: KeyId): Effect.Effect<Option.Option<ApiKeyRow>>
    /** The key with this secret, unless it is revoked. */
    opened(secret: string): Effect.Effect<Option.Option<KeyOfSecret>>
    /** The state of the key's actor. */
    load(keyId: KeyId): Effect.Effect<ApiKeyState>
    /** Never takes a revocation back, nor moves its moment. */
    save(keyId: KeyId, state: ApiKeyState): Effect.Effect<void>
  }
>()("@atrium/actors/store/ApiKeyStore") {
  static readonly layerSql = Layer.effect(
    ApiKeyStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient

      const mint: ApiKeyStore["Service"]["mint"] = Effect.fn("ApiKeyStore.mint")(function* (key) {
        const createdAtMs = yield* Clock.currentTimeMillis
        const secret = makeSecret("apiKey")
        const keyId = KeyId.make(`key_${randomHex(16)}`)
        yield* Effect.orDie(sql`
          insert into api_keys (key_id, project_id, secret_hash, label, scopes, created_at_ms)
          values (${keyId}, ${key.projectId}, ${hashSecret(secret)}, ${key.label},
            ${pg.json(key.scopes)}, ${createdAtMs})`)
        const { label, scopes } = key
        return { keyId, secret, label, scopes, createdAtMs, lastUsedMs: null, revokedAtMs: null }
      })

      const list = Effect.fn("ApiKeyStore.list")(function* (projectId: ProjectId) {
        const keys = yield* rowsOf(sql`select * from api_keys where project_id = ${projectId}
          order by created_at_ms desc, minted_as desc`)
        return keys.map(rowOf)
      })

      const byId = (keyId: KeyId) =>
        Effect.map(rowsOf(sql`select * from api_keys where key_id = ${keyId}`), ([row]) =>
          Option.fromNullishOr(row)
        )

      const find = Effect.fn("ApiKeyStore.find")((keyId: KeyId) =>
        Effect.map(byId(keyId), Option.map(rowOf))
      )

      const opened = Effect.fn("ApiKeyStore.opened")(function* (secret: string) {
        const [row] = yield* Effect.orDie(
          Effect.flatMap(
            sql`select key_id, deleted_at_ms is null as stands
                from api_keys join projects using (project_id)
                where secret_hash = ${hashSecret(secret)} and revoked_at_ms is null`,
            decodeOpened
          )
        )
        return Option.map(Option.fromNullishOr(row), ({ key_id, stands }) => ({
          keyId: key_id,
          projectStands: stands
        }))
      })

      const load = Effect.fn("ApiKeyStore.load")((keyId: KeyId) =>
        Effect.map(
          byId(keyId),
          Option.match({ onNone: () => ApiKeyState.Unknown(), onSome: stateOf })
        )
      )

      const save = Effect.fn("ApiKeyStore.save")((keyId: KeyId, state: ApiKeyState) =>
        Effect.asVoid(Effect.orDie(write(sql, keyId, state)))
      )

      return { mint, list, find, opened, load, save }
    })
  )
}

const rowsOf = <E>(query: Effect.Effect<unknown, E>) =>
  Effect.orDie(Effect.flatMap(query, decodeKeys))

const write = (
  sql: SqlClient.SqlClient,
  keyId: KeyId,
  state: ApiKeyState
): Effect.Effect<unknown, SqlError> => {
  switch (state._tag) {
    case "Unknown":
      return Effect.void
    case "Active":
      return sql`update api_keys set last_used_ms = ${state.lastUsedMs} where key_id = ${keyId}`
    case "Revoked":
      return sql`update api_keys set revoked_at_ms = coalesce(revoked_at_ms, ${state.revokedAtMs})
        where key_id = ${keyId}`
  }
}

const msOf = (value: bigint | null): number | null => (value === null ? null : Number(value))

const rowOf = (row: typeof KeyColumns.Type): ApiKeyRow => ({
  keyId: row.key_id,
  label: row.label,
  scopes: row.scopes,
  createdAtMs: Number(row.created_at_ms),
  lastUsedMs: msOf(row.last_used_ms),
  revokedAtMs: msOf(row.revoked_at_ms)
})

const stateOf = (row: typeof KeyColumns.Type): ApiKeyState => {
  const { project_id: projectId, scopes } = row
  const revokedAtMs = msOf(row.revoked_at_ms)
  return revokedAtMs === null
    ? ApiKeyState.Active({ projectId, scopes, lastUsedMs: msOf(row.last_used_ms) })
    : ApiKeyState.Revoked({ projectId, revokedAtMs })
}

import { KeyId, ProjectId } from "@atrium/domain/shared/Ids"
import { type Scope, Scopes } from "@atrium/domain/shared/Scope"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

import { projectIn } from "../projects/ProjectStore.ts"
import { MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { hashSecret, hashSecretHex, makeSecret, randomHex } from "../store/Secrets.ts"
import { ApiKeyState } from "./ApiKeyMachine.ts"

const shownFields = {
  keyId: KeyId,
  label: Schema.String,
  scopes: Schema.Array(Schema.Literals(Scopes)),
  createdAtMs: Schema.Int,
  lastUsedMs: Schema.NullOr(Schema.Int),
  revokedAtMs: Schema.NullOr(Schema.Int)
}
const ShownKey = Schema.Struct(shownFields)
const readShown = readRows(ShownKey)
const readKeys = readRows(Schema.Struct({ ...shownFields, projectId: ProjectId }))

/** One API key as a listing shows it; its secret is in no row. */
export type ApiKeyRow = typeof ShownKey.Type

/** A new key; its secret is nowhere else. */
export interface MintedApiKey extends ApiKeyRow {
  readonly secret: string
}

const OpenedKey = Schema.Struct({
  keyId: KeyId,
  /** The key's project has not been deleted. */
  projectStands: Schema.Boolean
})
const readOpened = readRows(OpenedKey)

/** The key that a secret opens. */
export type KeyOfSecret = typeof OpenedKey.Type

interface KeyRow {
  readonly shown: ApiKeyRow
  readonly projectId: ProjectId
  readonly secretHash: string
}

/** The keys in the order in which they were minted, by their ids. */
export const keyTable = new MemoryTable<KeyRow>()

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
>()("@atrium/actors/keys/ApiKeyStore") {
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

      const list = Effect.fn("ApiKeyStore.list")((projectId: ProjectId) =>
        readShown(sql`select * from api_keys where project_id = ${projectId}
          order by created_at_ms desc, minted_as desc`)
      )

      const byId = (keyId: KeyId) => sql`select * from api_keys where key_id = ${keyId}`

      const find = Effect.fn("ApiKeyStore.find")(function* (keyId: KeyId) {
        const [row] = yield* readShown(byId(keyId))
        return Option.fromNullishOr(row)
      })

      const opened = Effect.fn("ApiKeyStore.opened")(function* (secret: string) {
        const [row] = yield* readOpened(sql`
          select key_id, deleted_at_ms is null as project_stands
          from api_keys join projects using (project_id)
          where secret_hash = ${hashSecret(secret)} and revoked_at_ms is null`)
        return Option.fromNullishOr(row)
      })

      const load = Effect.fn("ApiKeyStore.load")(function* (keyId: KeyId) {
        const [row] = yield* readKeys(byId(keyId))
        return row === undefined ? ApiKeyState.Unknown() : keyState(row, row.projectId)
      })

      const save = Effect.fn("ApiKeyStore.save")((keyId: KeyId, state: ApiKeyState) =>
        Effect.asVoid(Effect.orDie(write(sql, keyId, state)))
      )

      return { mint, list, find, opened, load, save }
    })
  )

  static readonly layerMemory = Layer.effect(
    ApiKeyStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const keys = keyTable.rowsIn(tables)
      return {
        mint: ({ projectId, label, scopes }) =>
          Effect.flatMap(Clock.currentTimeMillis, (createdAtMs) =>
            ask("ApiKeyStore.mint", () => {
              const secret = makeSecret("apiKey")
              const keyId = KeyId.make(`key_${randomHex(16)}`)
              const row = { keyId, label, scopes, createdAtMs, lastUsedMs: null, revokedAtMs: null }
              const secretHash = hashSecretHex(secret)
              keys.set(keyId, { shown: row, projectId, secretHash })
              return { ...row, secret }
            })
          ),
        list: (projectId) =>
          ask("ApiKeyStore.list", () =>
            [...keys.values()]
              .filter((key) => key.projectId === projectId)
              .map(({ shown }) => shown)
              .reverse()
              .sort((one, other) => other.createdAtMs - one.createdAtMs)
          ),
        find: (keyId) =>
          ask("ApiKeyStore.find", () => Option.fromNullishOr(keys.get(keyId)?.shown)),
        opened: (secret) =>
          ask("ApiKeyStore.opened", () => {
            const secretHash = hashSecretHex(secret)
            const key = [...keys.values()].find((one) => one.secretHash === secretHash)
            if (key === undefined || key.shown.revokedAtMs !== null) return Option.none()
            const projectStands = projectIn(tables, key.projectId) !== null
            return Option.some({ keyId: key.shown.keyId, projectStands })
          }),
        load: (keyId) =>
          ask("ApiKeyStore.load", () => {
            const key = keys.get(keyId)
            return key === undefined ? ApiKeyState.Unknown() : keyState(key.shown, key.projectId)
          }),
        save: (keyId, state) =>
          ask("ApiKeyStore.save", () => {
            const key = keys.get(keyId)
            if (key !== undefined) keys.set(keyId, { ...key, shown: savedKey(key.shown, state) })
          })
      }
    })
  )
}

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

const keyState = (
  { scopes, lastUsedMs, revokedAtMs }: ApiKeyRow,
  projectId: ProjectId
): ApiKeyState =>
  revokedAtMs === null
    ? ApiKeyState.Active({ projectId, scopes, lastUsedMs })
    : ApiKeyState.Revoked({ projectId, revokedAtMs })

const savedKey = (key: ApiKeyRow, state: ApiKeyState): ApiKeyRow => {
  switch (state._tag) {
    case "Unknown":
      return key
    case "Active":
      return { ...key, lastUsedMs: state.lastUsedMs }
    case "Revoked":
      return { ...key, revokedAtMs: key.revokedAtMs ?? state.revokedAtMs }
  }
}

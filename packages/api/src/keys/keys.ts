import { ApiKeys } from "@atrium/actors/keys/ApiKeys"
import { type ApiKeyRow, ApiKeyStore } from "@atrium/actors/keys/ApiKeyStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { KeysApi, type KeyRow } from "@atrium/domain/keys/KeysApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const keyOf = (row: ApiKeyRow): KeyRow => ({
  keyId: row.keyId,
  label: row.label,
  scopes: row.scopes,
  createdAt: isoOf(row.createdAtMs),
  lastUsed: row.lastUsedMs === null ? null : isoOf(row.lastUsedMs),
  revokedAt: row.revokedAtMs === null ? null : isoOf(row.revokedAtMs)
})

/** A project's API keys. */
export const KeysHandlers = HttpApiBuilder.group(
  apiOf(KeysApi),
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* ApiKeyStore
    const keys = yield* ApiKeys
    return handlers.handleAll({
      mint: Effect.fn("keys.mint")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        const minted = yield* store.mint({ projectId, ...payload })
        return { ...keyOf(minted), secret: minted.secret }
      }),
      list: Effect.fn("keys.list")(function* () {
        const { projectId } = yield* CallersProject
        return (yield* store.list(projectId)).map(keyOf)
      }),
      revoke: Effect.fn("keys.revoke")(function* ({ params }) {
        const { projectId } = yield* CallersProject
        return keyOf(yield* keys.revoke({ projectId, keyId: params.keyId }))
      })
    })
  })
)

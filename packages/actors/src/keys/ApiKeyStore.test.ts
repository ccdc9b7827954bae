import { createHash } from "node:crypto"

import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryStores, newProject, TestStores } from "../store/testing/TestStores.ts"
import { apiKeyStoreContract } from "./ApiKeyStore.contract.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

const scopes = ["rooms:read"] as const

apiKeyStoreContract("on PostgreSQL", TestStores)
apiKeyStoreContract("in memory", MemoryStores)

layer(TestStores)("the table of API keys", (it) => {
  it.effect("[keys.secret.only-hash-stored] of a secret only its SHA-256 is in the table", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const projectId = yield* newProject
      const { secret, keyId } = yield* keys.mint({ projectId, label: "hash", scopes })
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly hash: string; readonly whole: string }>`
        select encode(secret_hash, 'hex') as hash, k::text as whole from api_keys k
        where key_id = ${keyId}`
      expect(row?.hash).toBe(createHash("sha256").update(secret).digest("hex"))
      expect(row?.whole).not.toContain(secret.slice(3, 20))
    })
  )
})

import { createHash } from "node:crypto"

import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { AccountStore } from "./AccountStore.ts"
import { loginStoreContract } from "./LoginStore.contract.ts"
import { LoginStore } from "./LoginStore.ts"

loginStoreContract("on PostgreSQL", TestStores)
loginStoreContract("in memory", MemoryStores)

layer(TestStores)("the table of logins", (it) => {
  it.effect("[keys.secret.only-hash-stored] of a login's secret only its SHA-256 is stored", () =>
    Effect.gen(function* () {
      const { accountId } = yield* (yield* AccountStore).create("Ann")
      const logins = yield* LoginStore
      const { login, secret } = yield* logins.issue({ accountId, kind: "cli", label: "laptop" })
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly token_hash: Uint8Array; readonly row: string }>`
        select token_hash, t::text as row from login_tokens t where token_id = ${login.tokenId}`
      expect(Buffer.from(row?.token_hash ?? []).toString("hex")).toBe(
        createHash("sha256").update(secret).digest("hex")
      )
      expect(row?.row).not.toContain(secret.slice(3))
    })
  )
})

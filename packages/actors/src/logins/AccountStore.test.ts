import { createHash } from "node:crypto"

import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

import { makeSecret } from "../store/Secrets.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { accountStoreContract } from "./AccountStore.contract.ts"
import { AccountStore } from "./AccountStore.ts"
import { LoginStore } from "./LoginStore.ts"

accountStoreContract("on PostgreSQL", TestStores)
accountStoreContract("in memory", MemoryStores)

const tokens = Array.from({ length: 8 }, () => makeSecret("loginToken"))

layer(TestStores)("the table of login tokens", (it) => {
  it.effect(
    "[keys.secret.only-hash-stored] of a login token only its SHA-256 is in the table",
    () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        yield* Effect.forEach(tokens, (token) => accounts.bootstrap(token), { concurrency: 8 })
        const logins = yield* LoginStore
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly token_hash: Uint8Array }>`select * from login_tokens`
        const hashes = tokens.map((token) => createHash("sha256").update(token).digest("hex"))
        expect(rows).toHaveLength(1)
        expect(hashes).toContain(Buffer.from(rows[0]?.token_hash ?? []).toString("hex"))
        const whole = yield* sql<{
          readonly row: string
        }>`select t::text as row from login_tokens t`
        for (const token of tokens) expect(whole[0]?.row).not.toContain(token.slice(3))
        expect(Option.isNone(yield* logins.find(hashes[0] ?? ""))).toBe(true)
      })
  )
})

import { createHash } from "node:crypto"

import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

import { makeSecret } from "../store/Secrets.ts"
import { TestStores } from "../store/testing/TestStores.ts"
import { AccountStore } from "./AccountStore.ts"
import { LoginStore } from "./LoginStore.ts"

const tokens = Array.from({ length: 8 }, () => makeSecret("loginToken"))

layer(TestStores)((it) => {
  it.effect("[D-50] eight first starts at once make one owner, by one of their tokens", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      expect(Option.isNone(yield* accounts.owner)).toBe(true)
      const starts = yield* Effect.forEach(tokens, (token) => accounts.bootstrap(token), {
        concurrency: 8
      })
      const winner = starts.findIndex(({ created }) => created)
      expect(starts.filter(({ created }) => created)).toHaveLength(1)
      const logins = yield* LoginStore
      const found = yield* Effect.forEach(tokens, (token) => logins.find(token))
      expect(found.findIndex(Option.isSome)).toBe(winner)
      expect(found.filter(Option.isSome)).toHaveLength(1)
      expect(Option.map(found[winner] ?? Option.none(), ({ account }) => account)).toEqual(
        yield* accounts.owner
      )
      expect(yield* accounts.bootstrap(tokens[winner] ?? "")).toEqual({ created: false })
    })
  )

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
        for (const wrong of ["", "ct_", makeSecret("loginToken"), hashes[0] ?? ""]) {
          expect(Option.isNone(yield* logins.find(wrong))).toBe(true)
        }
      })
  )
})

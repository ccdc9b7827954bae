import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { hasMasterKey, isMasterKey, replaceMasterKey } from "./MasterKeyVerifier.ts"
import { TestStores } from "./testing/TestStores.ts"

const key = new Uint8Array(32).fill(1)
const other = new Uint8Array(32).fill(2)

it.layer(TestStores)("the master key of a database", (it) => {
  it.effect(
    "[C-211] is the first that it sees, until it is replaced; the key itself is not in it",
    () =>
      Effect.gen(function* () {
        expect(yield* hasMasterKey).toBe(false)
        expect([yield* isMasterKey(key), yield* isMasterKey(other)]).toEqual([true, false])
        expect([yield* hasMasterKey, yield* isMasterKey(key)]).toEqual([true, true])
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly hex: string }>`select encode(verifier, 'hex') as hex
        from master_key`
        expect(rows).toEqual([{ hex: expect.stringMatching(/^[0-9a-f]{64}$/) }])
        expect(rows[0]?.hex).not.toBe(Buffer.from(key).toString("hex"))
        yield* replaceMasterKey(other)
        expect([yield* isMasterKey(key), yield* isMasterKey(other)]).toEqual([false, true])
      })
  )
})

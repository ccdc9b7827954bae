import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryStores, newProject, TestStores } from "../store/testing/TestStores.ts"
import { jwtSecretStoreContract } from "./JwtSecretStore.contract.ts"
import { JwtSecretStore } from "./JwtSecretStore.ts"

jwtSecretStoreContract("on PostgreSQL", TestStores)
jwtSecretStoreContract("in memory", MemoryStores)

layer(TestStores)("the table of JWT secrets", (it) => {
  it.effect("[D-25] a secret is derived, and stands in no row", () =>
    Effect.gen(function* () {
      const { secret } = yield* (yield* JwtSecretStore).mint(yield* newProject, false)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly row: string }>`select s::text as row from jwt_secrets s`
      expect(rows).toHaveLength(1)
      for (const { row } of rows) expect(row).not.toContain(secret.slice(3))
    })
  )
})

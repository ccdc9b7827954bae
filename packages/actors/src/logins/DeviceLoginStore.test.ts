import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { deviceLoginStoreContract } from "./DeviceLoginStore.contract.ts"
import { DeviceLoginStore } from "./DeviceLoginStore.ts"

deviceLoginStoreContract("on PostgreSQL", TestStores)
deviceLoginStoreContract("in memory", MemoryStores)

layer(TestStores)("the table of device logins", (it) => {
  it.effect(
    "[keys.secret.only-hash-stored] of a device code only its SHA-256 is in the table",
    () =>
      Effect.gen(function* () {
        const { deviceCode } = yield* (yield* DeviceLoginStore).start("laptop")
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly row: string }>`
        select d::text as row from device_logins d`
        expect(rows).toHaveLength(1)
        for (const { row } of rows) expect(row).not.toContain(deviceCode.slice(3))
      })
  )
})

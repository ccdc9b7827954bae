import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { AccountStore } from "./AccountStore.ts"
import { invitationStoreContract } from "./InvitationStore.contract.ts"
import { InvitationStore } from "./InvitationStore.ts"

invitationStoreContract("on PostgreSQL", TestStores)
invitationStoreContract("in memory", MemoryStores)

layer(TestStores)("the table of invitations", (it) => {
  it.effect("[keys.secret.only-hash-stored] of a code only its SHA-256 is in the table", () =>
    Effect.gen(function* () {
      const { accountId } = yield* (yield* AccountStore).create("Ann")
      const { code } = yield* (yield* InvitationStore).invite({ accountId, name: "Ben" })
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly row: string }>`select i::text as row from invitations i`
      expect(rows).toHaveLength(1)
      for (const { row } of rows) expect(row).not.toContain(code.slice(3))
    })
  )
})

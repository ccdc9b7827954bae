import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { playerStoreContract } from "./PlayerStore.contract.ts"
import { PlayerStore } from "./PlayerStore.ts"

playerStoreContract("on PostgreSQL", TestStores)
playerStoreContract("in memory", MemoryStores)

layer(TestStores)("on PostgreSQL, in two transactions", (it) => {
  it.effect(
    "[limits.player-fields.players] two rooms that write at once do not share a place",
    () =>
      Effect.gen(function* () {
        const players = yield* PlayerStore
        const sql = yield* SqlClient.SqlClient
        const tables = yield* TestTables
        const full = ProjectId.make("p_0000000000000005")
        yield* tables.addPlayers(full, RoomLimits.players.max - 1)
        const save = (playerId: string) =>
          players.save(full, [{ playerId, fields: new Uint8Array([1]) }])
        const written = yield* Deferred.make<void>()
        const mayCommit = yield* Deferred.make<void>()
        const first = yield* save("first").pipe(
          Effect.tap(Deferred.succeed(written, undefined)),
          Effect.tap(Deferred.await(mayCommit)),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(written)
        const second = yield* Effect.forkChild(save("second"))
        const waits = sql`select 1 from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and not granted`
        // Until the second one has either written or been made to wait.
        yield* Effect.repeat(waits, {
          until: (rows) => rows.length > 0 || second.pollUnsafe() !== undefined
        })
        yield* Deferred.succeed(mayCommit, undefined)
        expect(yield* Fiber.join(first)).toEqual([])
        expect(yield* Fiber.join(second)).toEqual(["second"])
        expect(yield* tables.countPlayers(full)).toBe(RoomLimits.players.max)
      })
  )
})

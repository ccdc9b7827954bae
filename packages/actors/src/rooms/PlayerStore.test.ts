import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { TestStores } from "../store/testing/TestStores.ts"
import { PlayerStore } from "./PlayerStore.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const project = (last: number) => ProjectId.make(`p_000000000000000${last}`)

/** Gives a project this many players. */
const seed = Effect.fnUntraced(function* (projectId: ProjectId, players: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into players (project_id, player_id, fields, written_at_ms)
    select ${projectId}, 'seed' || number, ''::bytea, 0 from generate_series(1, ${players}::int) number`
})
const count = Effect.fnUntraced(function* (projectId: ProjectId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly players: number }>`
    select count(*)::int as players from players where project_id = ${projectId}`
  return rows[0]?.players
})

layer(TestStores)((it) => {
  it.effect("[limits.player-fields.bytes] fields are read as they were written last", () =>
    Effect.gen(function* () {
      const players = yield* PlayerStore
      const [one, other] = [project(1), project(2)]
      expect(yield* players.load(one, "ann")).toBeNull()
      const all = Uint8Array.from({ length: 4096 }, (_, index) => index & 255)
      expect(yield* players.save(one, [{ playerId: "ann", fields: all }])).toEqual([])
      expect(yield* players.load(one, "ann")).toEqual(all)
      const writes = [
        { playerId: "ann", fields: bytes(1) },
        { playerId: "Änn 😀", fields: bytes() },
        { playerId: "ann", fields: bytes(2) }
      ]
      expect(yield* players.save(one, writes)).toEqual([])
      expect(yield* players.load(one, "ann")).toEqual(bytes(2))
      expect(yield* players.load(one, "Änn 😀")).toEqual(bytes())
      expect(yield* players.load(other, "ann")).toBeNull()
    })
  )

  it.effect("[limits.player-fields.players] the 10,000th player is written, the next is not", () =>
    Effect.gen(function* () {
      const players = yield* PlayerStore
      const full = project(3)
      yield* seed(full, RoomLimits.players.max - 1)
      const writes = [
        { playerId: "last", fields: bytes(1) },
        { playerId: "over", fields: bytes(1) },
        { playerId: "seed1", fields: bytes(7) }
      ]
      expect(yield* players.save(full, writes)).toEqual(["over"])
      expect(yield* players.load(full, "last")).toEqual(bytes(1))
      expect(yield* players.load(full, "over")).toBeNull()
      expect(yield* players.load(full, "seed1")).toEqual(bytes(7))
      expect(yield* players.save(project(4), [{ playerId: "over", fields: bytes(1) }])).toEqual([])
    })
  )

  it.effect(
    "[limits.player-fields.players] two rooms that write at once do not share a place",
    () =>
      Effect.gen(function* () {
        const players = yield* PlayerStore
        const sql = yield* SqlClient.SqlClient
        const full = project(5)
        yield* seed(full, RoomLimits.players.max - 1)
        const save = (playerId: string) => players.save(full, [{ playerId, fields: bytes(1) }])
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
        expect(yield* count(full)).toBe(RoomLimits.players.max)
      })
  )

  // Last, as the clock goes on for all tests of the file.
  it.effect(
    "[limits.player-fields.retention] [C-94] fields go 90 days after their last write, and leave a place",
    () =>
      Effect.gen(function* () {
        const players = yield* PlayerStore
        const kept = project(6)
        const write = (playerId: string, value: number) =>
          players.save(kept, [{ playerId, fields: bytes(value) }])
        yield* TestClock.adjust("1 day")
        yield* write("early", 1)
        yield* write("again", 1)
        yield* TestClock.adjust("60 days")
        yield* write("again", 2)
        yield* TestClock.adjust(RoomLimits.playerKept.ms - Duration.toMillis("60 days") - 1)
        expect(yield* players.load(kept, "early")).toEqual(bytes(1))
        yield* TestClock.adjust(1)
        expect(yield* players.load(kept, "early")).toBeNull()
        expect(yield* players.load(kept, "again")).toEqual(bytes(2))
        expect(yield* count(kept)).toBe(2)
        expect(yield* write("new", 3)).toEqual([])
        expect(yield* count(kept)).toBe(2)
        expect(yield* write("early", 4)).toEqual([])
        expect(yield* players.load(kept, "early")).toEqual(bytes(4))
      })
  )
})

import { until } from "@atrium/domain/testing/Until"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { expect, test } from "vitest"

import { makeTestDatabase } from "../../../../scripts/makeTestDatabase.ts"
import { StoreConnections, storeClient } from "./StoreConnections.ts"

test("[C-462] connections that are held and statements that wait are counted", async () => {
  const database = await makeTestDatabase()
  const seen = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connections = yield* StoreConnections
    const figures = () => [connections.used, connections.waiting]
    const shows = (used: number, waiting: number) =>
      Effect.promise(() =>
        until(`${used} are used and ${waiting} wait`, () => {
          const [nowUsed, nowWaiting] = figures()
          return nowUsed === used && nowWaiting === waiting
        })
      )
    expect(figures()).toEqual([0, 0])
    const slow = Effect.forkChild(sql`select pg_sleep(30)`)
    const held = Effect.forkChild(
      sql.withTransaction(Effect.andThen(sql`select pg_sleep(30)`, Effect.void))
    )
    const fibers = [yield* slow, yield* held, yield* slow]
    yield* shows(2, 1)
    // The statement that waits, one that runs, and the transaction: each gives back what it has.
    for (const [index, left] of [
      [2, [2, 0]],
      [0, [1, 0]],
      [1, [0, 0]]
    ] as const) {
      fibers[index]?.interruptUnsafe()
      yield* shows(left[0], left[1])
    }
    yield* Effect.exit(sql`select nothing from nowhere`)
    expect(figures()).toEqual([0, 0])
    expect(yield* sql`select 1 as one`).toEqual([{ one: 1 }])
  })
  try {
    const client = storeClient({ url: Redacted.make(database.url), maxConnections: 2 })
    await Effect.runPromise(Effect.provide(seen, client))
  } finally {
    await database.drop()
  }
})

test("[C-462] a transaction that PostgreSQL rolls back at its COMMIT fails", async () => {
  const database = await makeTestDatabase()
  const aborted = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(
      Effect.andThen(Effect.exit(sql`select nothing from nowhere`), Effect.void)
    )
  })
  try {
    const client = storeClient({ url: Redacted.make(database.url), maxConnections: 2 })
    const exit = await Effect.runPromiseExit(Effect.provide(aborted, client))
    expect(Exit.isFailure(exit)).toBe(true)
    expect(String(exit)).toContain("rolled back")
  } finally {
    await database.drop()
  }
})

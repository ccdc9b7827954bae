import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Logger, Option, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { TestClock } from "effect/testing"

import { watchStore } from "./StoreWatch.ts"

const gone = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("gone"), message: "gone" })
})

/** A store whose connections take the lock and fail at the first look from `steadyMs` on. */
const makeStore = (steadyMs: () => number) => {
  const acquirer = Effect.gen(function* () {
    const endsAtMs = (yield* Clock.currentTimeMillis) + steadyMs()
    const answer = (statement: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        statement === "select 1" && nowMs >= endsAtMs
          ? Effect.fail(gone)
          : Effect.succeed([{ locked: true }])
      )
    const connection: Connection = {
      execute: answer,
      executeRaw: answer,
      executeStream: () => Stream.empty,
      executeValues: () => Effect.succeed([]),
      executeValuesUnprepared: () => Effect.succeed([]),
      executeUnprepared: answer
    }
    return connection
  })
  const compiler = Statement.makeCompilerSqlite()
  return SqlClient.make({ acquirer, compiler, driver: "fake", spanAttributes: [] }).pipe(
    Effect.provide(Reactivity.layer)
  )
}

/** The moments at which something was told of the store, from the start on. */
const toldWithin = Effect.fnUntraced(function* (spanMs: number, steadyMs: () => number) {
  const atMs: Array<number> = []
  const logger = Logger.make(({ date }) => void atMs.push(date.getTime()))
  const sql = yield* makeStore(steadyMs)
  yield* watchStore({ runnerAddress: Option.some("127.0.0.1:1") }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provide(Logger.layer([logger])),
    Effect.asVoid
  )
  yield* TestClock.adjust(spanMs)
  return atMs
})

it.effect("[C-202] a store that comes and goes at every look is logged ever more rarely", () =>
  Effect.gen(function* () {
    const told = yield* toldWithin(25_000, () => 0)
    // Away and back: after 0.2, 0.4, 0.8, 1.6, 3.2 and then each 5 seconds.
    expect(told.length).toBeGreaterThan(8)
    expect(told.length).toBeLessThanOrEqual(20)
  })
)

it.effect("[C-202] an outage of a store that was steady before is asked about at once", () =>
  Effect.gen(function* () {
    const told = yield* toldWithin(60_000, () => StoreLimits.storeSteady.ms)
    const pauses = told.flatMap((atMs, index) =>
      index % 2 === 0 ? [(told[index + 1] ?? atMs) - atMs] : []
    )
    expect(pauses).toEqual([0, 0, 0, 0, 0, 0])
  })
)

it.effect("[C-202] a return that lasted a look less is followed by a pause", () =>
  Effect.gen(function* () {
    const steadyMs = StoreLimits.storeSteady.ms - StoreLimits.storeLook.ms
    const told = yield* toldWithin(2 * StoreLimits.storeSteady.ms, () => steadyMs)
    expect((told[1] ?? 0) - (told[0] ?? 0)).toBe(StoreLimits.storePauseFirst.ms)
  })
)

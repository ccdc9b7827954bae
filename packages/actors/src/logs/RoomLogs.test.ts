import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

import { newRoomKey } from "../store/testing/TestStores.ts"
import { LogStore, type StoredLine } from "./LogStore.ts"
import { LogTail } from "./LogTail.ts"
import { RoomLogs } from "./RoomLogs.ts"

const key = newRoomKey()
const second = 1000

/** A log on a store that does as it is told. */
const withStore = <A, E>(
  answer: (lines: ReadonlyArray<StoredLine>) => Effect.Effect<void>,
  test: Effect.Effect<A, E, RoomLogs | LogTail>
) => {
  const store = Layer.succeed(LogStore, {
    append: answer,
    read: () => Effect.succeed([]),
    removeOld: Effect.succeed(0)
  })
  return test.pipe(
    Effect.provide(RoomLogs.layer.pipe(Layer.provideMerge(LogTail.layer), Layer.provide(store))),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
}

const droppedLines = Effect.map(Metric.snapshot, (metrics) =>
  Object.fromEntries(
    metrics.flatMap((metric) =>
      metric.id === "atrium_log_lines_dropped_total" && metric.type === "Counter"
        ? [[metric.attributes?.["cause"], Number(metric.state.count)]]
        : []
    )
  )
)

describe("RoomLogs", () => {
  it.effect("[C-330] stores the lines of a quarter of a second together, in batches of 500", () => {
    const batches: Array<number> = []
    const store = (lines: ReadonlyArray<StoredLine>) =>
      Effect.sync(() => void batches.push(lines.length))
    return withStore(
      store,
      Effect.gen(function* () {
        const logs = yield* RoomLogs
        for (let line = 0; line < LogLimits.logBatch.max; line++) logs.say(key, "info", "line")
        yield* TestClock.adjust(LogLimits.logBatchWait.ms - 1)
        logs.say(key, "info", "line")
        expect(batches).toEqual([])
        yield* TestClock.adjust(1)
        expect(batches).toEqual([LogLimits.logBatch.max, 1])
        expect(
          (yield* LogTail).recent(key.projectId, { roomId: key.roomId, level: "info", fromId: 0 })
            .lines
        ).toHaveLength(500)
      })
    )
  })

  it.effect(
    "[C-330] while the store is away 8 MiB wait; what comes then is dropped and counted",
    () => {
      let isAway = true
      const stored: Array<string> = []
      const store = (lines: ReadonlyArray<StoredLine>) =>
        Effect.suspend(() => {
          if (isAway) return Effect.never
          for (const { line } of lines) stored.push(line)
          return Effect.void
        })
      return withStore(
        store,
        Effect.gen(function* () {
          const logs = yield* RoomLogs
          const line = "x".repeat(8192)
          const most = Math.floor(
            LogLimits.logWaiting.max / (2 * line.length + LogLimits.logLineCost.max)
          )
          for (let count = 0; count < most; count++) logs.say(key, "info", line)
          expect(yield* droppedLines).toEqual({})
          logs.say(key, "info", line)
          expect(yield* droppedLines).toEqual({ store: 1 })
          yield* TestClock.adjust(30 * second)
          isAway = false
          yield* TestClock.adjust(10 * second)
          expect(stored).toHaveLength(most)
          logs.dropped("ingest")
          logs.dropped("room")
          expect(yield* droppedLines).toEqual({ store: 1, ingest: 1, room: 1 })
        })
      )
    }
  )

  it.effect(
    "[C-330] lines that the store does not take are dropped and counted, and hold up none",
    () => {
      const stored: Array<string> = []
      const refused = new SqlError({
        reason: new UnknownError({ cause: new Error("no partition") })
      })
      const store = (lines: ReadonlyArray<StoredLine>) =>
        Effect.suspend(() => {
          if (lines.some(({ line }) => line === "bad")) return Effect.die(refused)
          for (const { line } of lines) stored.push(line)
          return Effect.void
        })
      return withStore(
        store,
        Effect.gen(function* () {
          const logs = yield* RoomLogs
          logs.say(key, "info", "bad")
          yield* TestClock.adjust(second)
          logs.say(key, "info", "good")
          yield* TestClock.adjust(second)
          expect([stored, yield* droppedLines]).toEqual([["good"], { store: 1 }])
        })
      )
    }
  )
})

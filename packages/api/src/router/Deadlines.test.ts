import { expect, it, test } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

import { Deadlines, watchDeadlines } from "./Deadlines.ts"

test("[limits.handshake.timeout] a wait is over at its last millisecond, and the first to begin is the first to be over", () => {
  const deadlines = new Deadlines<string>(5000)
  expect(deadlines.nextAtMs).toBe(null)
  deadlines.begin("a", 100)
  deadlines.begin("b", 200)
  deadlines.begin("c", 200)
  deadlines.end("b")
  expect(deadlines.nextAtMs).toBe(5100)
  expect(deadlines.due(5099)).toEqual([])
  expect(deadlines.due(5100)).toEqual(["a"])
  expect(deadlines.nextAtMs).toBe(5200)
  expect(deadlines.due(9000)).toEqual(["c"])
  expect(deadlines.nextAtMs).toBe(null)
})

it.effect(
  "[limits.handshake.timeout] one timer serves all waits, and none runs while nobody waits",
  () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const over: Array<string> = []
      let [timers, most] = [0, 0]
      const waits = watchDeadlines<string>({
        spanMs: 5000,
        nowMs: () => clock.currentTimeMillisUnsafe(),
        sleep: (ms) =>
          Effect.suspend(() => {
            most = Math.max(most, ++timers)
            return Effect.ensuring(
              Effect.sleep(ms),
              Effect.sync(() => void timers--)
            )
          }),
        over: (waiter) => void over.push(`${waiter} ${clock.currentTimeMillisUnsafe()}`),
        run
      })
      waits.begin("a")
      yield* TestClock.adjust(1000)
      waits.begin("b")
      waits.begin("c")
      yield* TestClock.adjust(3999)
      expect(over).toEqual([])
      yield* TestClock.adjust(1)
      expect(over).toEqual(["a 5000"])
      waits.end("c")
      yield* TestClock.adjust(1000)
      expect(over).toEqual(["a 5000", "b 6000"])
      expect([timers, most]).toEqual([0, 1])
      waits.begin("d")
      yield* TestClock.adjust(5000)
      expect(over.at(-1)).toBe("d 11000")
    })
)

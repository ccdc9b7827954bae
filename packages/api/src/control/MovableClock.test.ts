import { lookEvery, RuleTime, sleepByRule } from "@atrium/actors/clock/RuleTime"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"

import { MovableClock } from "./MovableClock.ts"
import { settled } from "./Settling.ts"

const held = Effect.fnUntraced(function* () {
  const clock = new MovableClock()
  const progress = { looking: () => clock.looking, steps: () => 0 }
  clock.follow({
    moved: () => undefined,
    settled: () => settled(progress, { quietTurns: 3, stepsMsMax: 0 })
  })
  const startMs = yield* clock.hold(true)
  const on = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    work.pipe(
      Effect.provideService(Clock.Clock, clock),
      Effect.provideService(RuleTime, clock.rules)
    )
  return { clock, startMs, on }
})

/** The moments, since the hold, at which looks and sleeps of these spans come in one advance. */
const momentsOf = Effect.fnUntraced(function* (
  { sleeps, looks }: { readonly sleeps?: Array<number>; readonly looks?: Array<number> },
  advances: ReadonlyArray<number>
) {
  const { clock, startMs, on } = yield* held()
  const moments: Array<readonly [span: number, atMs: number]> = []
  const note = (span: number) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => void moments.push([span, nowMs - startMs]))
  const works = [
    ...(sleeps ?? []).map((span) => Effect.andThen(sleepByRule(span), note(span))),
    ...(looks ?? []).map((span) => lookEvery(span)(note(span)))
  ]
  const fibers = yield* Effect.forEach(works, (work) => Effect.forkChild(on(work)))
  for (const ms of advances) yield* clock.advance(ms)
  yield* Effect.forEach(fibers, Fiber.interrupt)
  return moments
})

describe("MovableClock", () => {
  it.effect("[D-49] held, time stands but for what is advanced", () =>
    Effect.gen(function* () {
      const { clock, startMs } = yield* held()
      yield* TestClock.withLive(Effect.sleep("5 millis"))
      expect(yield* clock.currentTimeMillis).toBe(startMs)
      expect(yield* clock.advance(1500)).toBe(startMs + 1500)
      expect(clock.currentTimeMillisUnsafe()).toBe(startMs + 1500)
      expect(clock.currentTimeNanosUnsafe()).toBe(BigInt(startMs + 1500) * 1_000_000n)
      yield* clock.hold(false)
      expect(clock.held).toBe(false)
      yield* TestClock.withLive(Effect.sleep("5 millis"))
      expect(clock.currentTimeMillisUnsafe()).toBeGreaterThan(startMs + 1500)
    })
  )

  it.effect("[C-84] a wait by a rule ends at its moment and not a millisecond before", () =>
    Effect.gen(function* () {
      expect(yield* momentsOf({ sleeps: [1000] }, [999])).toEqual([])
      expect(yield* momentsOf({ sleeps: [1000] }, [999, 1])).toEqual([[1000, 1000]])
      expect(yield* momentsOf({ sleeps: [1000] }, [5000])).toEqual([[1000, 1000]])
    })
  )

  it.effect("[C-84] moments come in their order, those of one moment in that of their asking", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }),
          async (sleeps) => {
            const seen = await Effect.runPromise(momentsOf({ sleeps }, [20]))
            expect(seen).toEqual(sleeps.toSorted((a, b) => a - b).map((span) => [span, span]))
          }
        ),
        { numRuns: 25 }
      )
    )
  )

  it.effect("[C-85] a look comes at each of its moments while its span is long enough", () =>
    Effect.gen(function* () {
      const quarter = 900_000
      expect(yield* momentsOf({ looks: [quarter] }, [4 * quarter])).toEqual(
        [0, 1, 2, 3, 4].map((times) => [quarter, times * quarter])
      )
    })
  )

  it.effect.each([30, 100])(
    "[C-85] in %i days at once a look of a second comes 10 times or so, evenly, and at the end",
    (days) =>
      Effect.gen(function* () {
        const ms = days * 86_400_000
        const moments = (yield* momentsOf({ looks: [1000] }, [ms])).map(([, atMs]) => atMs)
        expect(moments.at(-1)).toBe(ms)
        expect(moments.length).toBeGreaterThanOrEqual(10)
        expect(moments.length).toBeLessThanOrEqual(13)
        const gaps = moments.slice(1).map((atMs, index) => atMs - (moments[index] ?? 0))
        expect(Math.max(...gaps)).toBeLessThanOrEqual(ms / 10)
      })
  )

  it.effect("[C-85] looks of several spans share the stops of a long advance", () =>
    Effect.gen(function* () {
      const looks = [1000, 1700, 2300, 60_000, 900_000]
      const moments = yield* momentsOf({ looks }, [1, 30 * 86_400_000])
      // Each has a moment of its own at first: that of before the advance.
      const stops = new Set(moments.map(([, atMs]) => atMs))
      expect(stops.size).toBeLessThanOrEqual(11 + looks.length)
      for (const span of looks) {
        expect(moments.filter(([each]) => each === span).length).toBeGreaterThanOrEqual(10)
      }
    })
  )

  it.effect("[C-85] an advance waits for the looks that it made due", () =>
    Effect.gen(function* () {
      const { clock, on } = yield* held()
      let done = 0
      const slow = Effect.andThen(
        Effect.sleep("20 millis"),
        Effect.sync(() => done++)
      )
      const fiber = yield* Effect.forkChild(on(lookEvery(1000)(slow)))
      yield* clock.advance(2000)
      expect([done, clock.looking]).toEqual([3, 0])
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("[C-84] a guard against a hang sleeps on the machine's time", () =>
    Effect.gen(function* () {
      const { clock, on } = yield* held()
      const answer = yield* Effect.forkChild(
        on(Effect.timeoutOption(Effect.as(Effect.sleep("30 millis"), "answered"), "10 seconds"))
      )
      yield* clock.advance(100 * 86_400_000)
      expect(yield* Fiber.join(answer)).toMatchObject({ value: "answered" })
    })
  )

  it.effect(
    "[D-49] running, what is due by a rule comes by itself, and after an advance at once",
    () =>
      Effect.gen(function* () {
        const { clock } = yield* held()
        yield* clock.hold(false)
        const sleeping = yield* Effect.forkChild(clock.rules.sleep(20))
        yield* Fiber.join(sleeping)
        const day = yield* Effect.forkChild(clock.rules.sleep(86_400_000))
        yield* clock.advance(86_400_000)
        yield* Fiber.join(day)
        expect(clock.held).toBe(false)
      })
  )

  it.effect("[D-49] does not wake a fiber that gave up its wait", () =>
    Effect.gen(function* () {
      const { clock } = yield* held()
      let woken = false
      const fiber = yield* Effect.forkChild(
        Effect.andThen(
          clock.rules.sleep(1000),
          Effect.sync(() => (woken = true))
        )
      )
      yield* Fiber.interrupt(fiber)
      yield* clock.advance(1000)
      expect(woken).toBe(false)
    })
  )
})

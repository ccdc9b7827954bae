import { RuleTime } from "@atrium/actors/clock/RuleTime"
import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import { slotAt } from "@atrium/domain/metrics/SeriesRing"
import { DayMs } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"

import { MovableClock } from "../control/MovableClock.ts"
import { settled } from "../control/Settling.ts"
import { whenSpansEnd } from "./ProjectSeries.ts"

it.effect(
  "[C-768] each span is measured when it is over, and a month at once is no work for hours",
  () =>
    Effect.gen(function* () {
      const clock = new MovableClock()
      const progress = { looking: () => clock.looking, steps: () => 0 }
      clock.follow({
        moved: () => undefined,
        settled: () => settled(progress, { quietTurns: 3, stepsMsMax: 0 })
      })
      const first = slotAt(yield* clock.hold(true))
      const measured: Array<number> = []
      const spans = yield* whenSpansEnd((slot) => Effect.sync(() => measured.push(slot))).pipe(
        Effect.provideService(Clock.Clock, clock),
        Effect.provideService(RuleTime, clock.rules),
        Effect.forkChild
      )
      const { ms } = MetricsLimits.seriesEvery
      for (let passed = 0; passed < 3; passed++) yield* clock.advance(ms)
      expect(measured).toEqual([first, first + 1, first + 2])
      yield* clock.advance(30 * DayMs)
      expect(measured.length).toBeLessThan(20)
      yield* Fiber.interrupt(spans)
    })
)

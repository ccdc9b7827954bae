import fc from "fast-check"
import { expect, test } from "vitest"

import { Durations } from "./Durations.ts"

test("[sim.load.durations] every percentile is right to one percent; the ends and the mean are exact", () => {
  const spans = fc.array(fc.double({ min: 0.02, max: 600_000, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(spans, fc.integer({ min: 1, max: 100 }), (all, percent) => {
      const durations = new Durations()
      for (const ms of all) durations.add(ms)
      const sorted = all.toSorted((a, b) => a - b)
      const exact = sorted[Math.ceil((all.length * percent) / 100) - 1] ?? Number.NaN
      expect(durations.at(percent) / exact).toBeGreaterThanOrEqual(1 - 1e-9)
      expect(durations.at(percent) / exact).toBeLessThan(1.0101)
      expect(durations.summary()).toMatchObject({
        count: all.length,
        min: sorted[0],
        max: sorted.at(-1)
      })
      expect(durations.avg).toBeCloseTo(all.reduce((sum, ms) => sum + ms, 0) / all.length, 3)
    })
  )
})

test("[sim.load.durations] of nothing there is no figure", () => {
  expect(new Durations().summary()).toBeNull()
  expect(new Durations().at(50)).toBeNaN()
})

import { expect, test } from "vitest"

import { atLeast, atMost, type Figure, isReached, type Measured, ratioOf } from "./Figure.ts"
import { verdictOf } from "./Verdict.ts"

const figure = (value: number, raw: number | null, goal: Figure["goal"]): Figure => ({
  ...{ name: "cost", unit: "ms", value, raw, goal }
})

test.each([
  [figure(5, null, atMost(5, "value")), null, true],
  [figure(5.1, null, atMost(5, "value")), null, false],
  [figure(9, 10, atLeast(0.9, "ratio")), 0.9, true],
  [figure(8.9, 10, atLeast(0.9, "ratio")), 0.89, false],
  [figure(15, 10, atMost(1.5, "ratio")), 1.5, true],
  [figure(1, null, null), null, null],
  // What could not be measured has not been reached.
  [figure(1, null, atLeast(0.5, "ratio")), null, false],
  [figure(Number.NaN, null, atMost(5, "value")), null, false]
])("[performance] %j: ratio %s, reached %s", (measured, ratio, reached) => {
  expect(ratioOf(measured)).toBe(ratio)
  expect(isReached(measured)).toBe(reached)
})

const reached = figure(1, null, atMost(5, "value"))
const missed = figure(6, null, atMost(5, "value"))
const workload = (over: Partial<Measured>): Measured => ({
  ...{ workload: "W1", figures: [reached], faults: [], notes: [] },
  ...over
})

const verdicts = [
  {
    ...{ what: "all reached", measured: [workload({})], strict: true },
    ...{ says: "valid; 1 of 1 goals reached", exitCode: 0 }
  },
  {
    ...{ what: "a goal missed", measured: [workload({ figures: [reached, missed] })] },
    ...{ strict: false, says: "valid; 1 of 2 goals reached", exitCode: 0 }
  },
  {
    ...{ what: "a goal missed, strictly", measured: [workload({ figures: [missed] })] },
    ...{ strict: true, says: "valid; 0 of 1 goals reached", exitCode: 1 }
  },
  {
    what: "something lost",
    measured: [workload({ faults: ["one is gone"] }), workload({ workload: "W2" })],
    ...{ strict: false, says: "not valid: W1", exitCode: 1 }
  }
]

test.each(verdicts)("[performance] $what: $says", ({ measured, strict, says, exitCode }) => {
  expect(verdictOf(measured, strict)).toEqual({ says, exitCode })
})

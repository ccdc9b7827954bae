import { expect, test } from "vitest"

import {
  atLeast,
  atMost,
  besideWs,
  type Figure,
  isReached,
  type Measured,
  rangeOf,
  ratioOf
} from "./Figure.ts"
import { verdictOf } from "./Verdict.ts"

const figure = (
  rounds: number | ReadonlyArray<number>,
  raw: number | ReadonlyArray<number> | null,
  goal: Figure["goal"]
): Figure => ({
  name: "cost",
  unit: "ms",
  rounds: [rounds].flat(),
  reference: raw === null ? null : besideWs([raw].flat()),
  goal
})

test.each([
  [figure(5, null, atMost(5, "value")), null, true],
  [figure(5.1, null, atMost(5, "value")), null, false],
  [figure(9, 10, atLeast(0.9, "ratio")), 0.9, true],
  [figure(8.9, 10, atLeast(0.9, "ratio")), 0.89, false],
  [figure(15, 10, atMost(1.5, "ratio")), 1.5, true],
  [figure(1, null, null), null, null],
  // A round beside its own round: that the machine got slower says nothing.
  [figure([9, 90, 27], [10, 100, 20], atLeast(0.9, "ratio")), 0.9, true],
  [figure([1, 2, 3], [4], atMost(0.5, "ratio")), 0.5, true],
  // What could not be measured has not been reached.
  [figure(1, null, atLeast(0.5, "ratio")), null, false],
  [figure(Number.NaN, null, atMost(5, "value")), null, false]
])("[performance] %j: ratio %s, reached %s", (measured, ratio, reached) => {
  expect(ratioOf(measured)).toBe(ratio)
  expect(isReached(measured)).toBe(reached)
})

test.each([
  [figure(5, 2, null), null],
  [figure([5, 7, 6], null, null), [5, 7]],
  [figure([5, 8], [5, 2], null), [1, 4]],
  [figure([5, 8], [5], null), null]
])("[performance] %j: what the rounds gave lies within %j", (measured, range) => {
  expect(rangeOf(measured)).toEqual(range)
})

const reached = figure(1, null, atMost(5, "value"))
const missed = figure(6, null, atMost(5, "value"))
const workload = (over: Partial<Measured>): Measured => ({
  workload: "W1",
  figures: [reached],
  faults: [],
  notes: [],
  ...over
})

const verdicts = [
  {
    what: "all reached",
    measured: [workload({})],
    strict: true,
    says: "valid; 1 of 1 goals reached",
    exitCode: 0
  },
  {
    what: "a goal missed",
    measured: [workload({ figures: [reached, missed] })],
    strict: false,
    says: "valid; 1 of 2 goals reached",
    exitCode: 0
  },
  {
    what: "a goal missed, strictly",
    measured: [workload({ figures: [missed] })],
    strict: true,
    says: "valid; 0 of 1 goals reached",
    exitCode: 1
  },
  {
    what: "something lost",
    measured: [workload({ faults: ["one is gone"] }), workload({ workload: "W2" })],
    strict: false,
    says: "not valid: W1",
    exitCode: 1
  }
]

test.each(verdicts)("[performance] $what: $says", ({ measured, strict, says, exitCode }) => {
  expect(verdictOf(measured, strict)).toEqual({ says, exitCode })
})

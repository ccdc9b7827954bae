import { createHistogram } from "node:perf_hooks"

import { expect, test } from "vitest"

import { TurnHistogram } from "./EventLoopTurns.ts"

/** The counts by bound, in seconds. */
const countsOf = (turns: TurnHistogram) => {
  const { buckets, count, sum, max } = turns.read()
  return { atMost: Object.fromEntries(buckets), count, sum, max }
}

test("[C-265] each turn counts in the buckets whose bound it does not exceed, also after further looks", () => {
  const samples = createHistogram()
  const turns = new TurnHistogram(samples)
  const take = (...lengthsMs: ReadonlyArray<number>) => {
    for (const ms of lengthsMs) samples.record(ms * 1e6)
    return countsOf(turns)
  }
  expect(take()).toMatchObject({ atMost: { 0.001: 0, 5: 0 }, count: 0, sum: 0, max: 0 })
  take(0.2, 0.2, 0.9, 4, 9.9)
  const counts = take(0.5, 12, 60_000)
  expect(counts.atMost).toMatchObject({
    0.001: 4,
    0.003: 4,
    0.005: 5,
    0.0075: 5,
    0.01: 6,
    0.015: 7,
    5: 7
  })
  expect(counts.count).toBe(8)
  expect(counts.sum).toBeCloseTo(60.0277, 1)
  expect(counts.max).toBeCloseTo(60, 0)
  // What has been counted is not counted again.
  expect(take()).toEqual(counts)
})

test.each([
  [0.001, 1000],
  [0.005, 5000],
  [0.01, 10_000]
])("[C-265] of 10,000 turns of 1 µs to 10 ms those of at most %d s are %d", (bound, expected) => {
  const samples = createHistogram()
  for (let turn = 1; turn <= 10_000; turn++) samples.record(turn * 1000)
  const { atMost } = countsOf(new TurnHistogram(samples))
  // Node keeps a length to a thousandth of it.
  const counted = atMost[bound] ?? Number.NaN
  expect(Math.abs(counted - expected)).toBeLessThanOrEqual(expected / 1000)
})

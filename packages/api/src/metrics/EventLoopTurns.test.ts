import { createHistogram } from "node:perf_hooks"

import { expect, test } from "vitest"

import { TurnHistogram } from "./EventLoopTurns.ts"

const countsOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...text.matchAll(/^atrium_event_loop_turn_seconds(\S+) (\S+)$/gm)].map(
      ([, label = "", value]) => [label, Number(value)]
    )
  )

test("[C-265] each turn counts in the buckets whose bound it does not exceed, also after further looks", () => {
  const samples = createHistogram()
  const turns = new TurnHistogram(samples)
  const take = (...lengthsMs: ReadonlyArray<number>) => {
    for (const ms of lengthsMs) samples.record(ms * 1e6)
    return countsOf(turns.format())
  }
  expect(take()).toMatchObject({ '_bucket{le="0.001"}': 0, '_bucket{le="+Inf"}': 0, _count: 0 })
  take(0.2, 0.2, 0.9, 4, 9.9)
  const counts = take(0.5, 12, 60_000)
  expect(counts).toMatchObject({
    '_bucket{le="0.001"}': 4,
    '_bucket{le="0.003"}': 4,
    '_bucket{le="0.005"}': 5,
    '_bucket{le="0.0075"}': 5,
    '_bucket{le="0.01"}': 6,
    '_bucket{le="0.015"}': 7,
    '_bucket{le="5"}': 7,
    '_bucket{le="+Inf"}': 8,
    _count: 8
  })
  expect(counts["_sum"]).toBeCloseTo(60.0277, 1)
  // What has been counted is not counted again.
  expect(take()).toEqual(counts)
})

test.each([
  ["0.001", 1000],
  ["0.005", 5000],
  ["0.01", 10_000]
])("[C-265] of 10,000 turns of 1 µs to 10 ms those of at most %s s are %d", (bound, expected) => {
  const samples = createHistogram()
  for (let turn = 1; turn <= 10_000; turn++) samples.record(turn * 1000)
  const counts = countsOf(new TurnHistogram(samples).format())
  // Node keeps a length to a thousandth of it.
  const counted = counts[`_bucket{le="${bound}"}`] ?? Number.NaN
  expect(Math.abs(counted - expected)).toBeLessThanOrEqual(expected / 1000)
})

import { expect, test } from "vitest"

import { LoadGauge, makeLoadGauge } from "./LoadGauge.ts"

/** What a gauge says at each look, a tenth of a second apart. */
const saysOf = (...shares: ReadonlyArray<number>): ReadonlyArray<boolean> => {
  let nowMs = 0
  let share = 0
  const gauge = new LoadGauge({ nowMs: () => nowMs, utilization: () => share })
  return shares.map((next) => {
    nowMs += 100
    share = next
    return gauge.loaded
  })
}

test("[C-60] the service is loaded from a share of its time on, until it has far more", () => {
  expect(saysOf(0.29, 0.3, 0.12, 0.11, 0.29)).toEqual([false, true, true, false, false])
})

test("[C-60] it is looked at ten times a second", () => {
  let nowMs = 0
  let looks = 0
  const gauge = new LoadGauge({ nowMs: () => nowMs, utilization: () => ++looks })
  for (nowMs = 0; nowMs <= 250; nowMs++) void gauge.loaded
  expect(looks).toBe(2)
})

test.each([true, false])(
  "[C-266] with send windows %s a full load counts as one",
  (sendWindows) => {
    let nowMs = 0
    const gauge = makeLoadGauge(sendWindows, { nowMs: () => nowMs, utilization: () => 1 })
    nowMs = 100
    expect(gauge.loaded).toBe(sendWindows)
  }
)

import { expect, test } from "vitest"

import { ClockWatch } from "./ClockWatch.ts"

test("[D-49] a jump of 250 ms is one, forth and back; of 249 ms it is scheduling", () => {
  const watch = new ClockWatch(1_000_000, 50)
  expect(watch.hasJumped(1_001_000, 1_050)).toBe(false)
  expect(watch.hasJumped(1_002_249, 2_050)).toBe(false)
  expect(watch.hasJumped(1_003_499, 3_050)).toBe(true)
  expect(watch.hasJumped(1_004_249, 4_050)).toBe(true)
})

test("[D-49] a look that comes late is no jump, and each jump is told once", () => {
  const watch = new ClockWatch(0, 0)
  expect(watch.hasJumped(60_000, 60_000)).toBe(false)
  expect(watch.hasJumped(3_661_000, 61_000)).toBe(true)
  expect(watch.hasJumped(3_662_000, 62_000)).toBe(false)
})

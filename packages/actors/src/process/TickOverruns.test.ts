import { expect, test } from "vitest"

import { OverrunsOfPongMax, TickOverruns } from "./TickOverruns.ts"

test("[C-378] a pong counts for what it has more than the last one, and for no more than can be", () => {
  const overruns = new TickOverruns()
  expect([0, 3, 3, 5].map((told) => overruns.since(told))).toEqual([0, 3, 0, 2])
  expect(overruns.since(null)).toBe(0)
  expect(OverrunsOfPongMax).toBe(20 * 60)
  expect(overruns.since(5 + OverrunsOfPongMax)).toBe(OverrunsOfPongMax)
  expect(overruns.since(2 ** 32 - 1)).toBe(OverrunsOfPongMax)
  expect(overruns.since(2 ** 32 - 1)).toBe(0)
  expect(() => overruns.since(2 ** 32 - 2)).toThrow("takes back ticks")
})

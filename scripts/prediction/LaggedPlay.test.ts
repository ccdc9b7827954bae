import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { expect, test } from "vitest"

import { laggedPlay } from "./LaggedPlay.ts"
import { summaryOf } from "./PlaySummary.ts"

test("[C-867] 150 ms ± 50 away, with 5 of 100 frames held back by 200 ms, own balls are drawn where the room has them", async () => {
  await Rapier3.init()
  const play = await laggedPlay({ seed: 1, seconds: 5, balls: 24 })
  const { own, others, correctionsPerSecond } = summaryOf(play)
  expect(own.without).toBeGreaterThan(1)
  expect(own.predicted).toBeLessThan(own.without / 20)
  expect(others.predicted).toBeLessThan(others.without / 5)
  expect(correctionsPerSecond).toBeLessThan(3)
})

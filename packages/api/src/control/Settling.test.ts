import { Effect } from "effect"
import { expect, it } from "vitest"

import { settled } from "./Settling.ts"

/** How often it was asked for, with what is under way by then. */
const asked = async (
  {
    looking,
    steps
  }: { readonly looking: (asked: number) => number; readonly steps: (asked: number) => number },
  stepsMsMax: number
): Promise<number> => {
  let times = 0
  const progress = {
    looking: () => looking(++times),
    steps: () => steps(times)
  }
  await Effect.runPromise(settled(progress, { quietTurns: 3, stepsMsMax }))
  return times
}
const nothing = () => 0

it("[C-85] it is settled when nothing was under way for some turns in a row", async () => {
  expect(await asked({ looking: nothing, steps: nothing }, 1000)).toBe(3)
  const untilFifth = (times: number) => (times < 5 ? 1 : 0)
  expect(await asked({ looking: untilFifth, steps: nothing }, 1000)).toBe(7)
  expect(await asked({ looking: nothing, steps: untilFifth }, 1000)).toBe(7)
  const nowAndThen = (times: number) => (times % 2 === 0 && times < 9 ? 1 : 0)
  expect(await asked({ looking: nothing, steps: nowAndThen }, 1000)).toBe(11)
})

it("[C-85] steps that never end are not waited for, but looks are", async () => {
  const beganMs = performance.now()
  await asked({ looking: nothing, steps: () => 1 }, 50)
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(50)
  const lookedMs = performance.now()
  await asked({ looking: () => (performance.now() - lookedMs < 150 ? 1 : 0), steps: () => 1 }, 20)
  expect(performance.now() - lookedMs).toBeGreaterThanOrEqual(150)
})

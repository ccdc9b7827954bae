import { describe, expect, test } from "vitest"

import { type Crowd, crowdStep, refusedBefore } from "./LoadCrowd.ts"
import { LoadLimits } from "./LoadLimits.ts"

const { max } = LoadLimits.players
const crowd = (more: Partial<Crowd>): Crowd => ({ present: 0, started: 0, refused: 0, ...more })
const wanted = (target: number, sum = 0) => ({ phase: null, target, sum })

describe("a crowd that is counted in players", () => {
  const step = (target: number, more: Partial<Crowd>) =>
    crowdStep({ arrival: "players" }, wanted(target), crowd(more))
  test.each([
    ["grows to the target", step(10.4, { present: 4 }), { join: 6, leave: 0 }],
    ["shrinks to the target", step(3, { present: 5 }), { join: 0, leave: 2 }],
    [
      "waits in the place of the refused",
      step(10, { present: 4, refused: 6 }),
      { join: 0, leave: 0 }
    ],
    ["is as large as a process may have", step(max, { present: max - 1 }), { join: 1, leave: 0 }],
    ["is no larger", step(max + 1, { present: max }), { join: 0, leave: 0 }]
  ])("[sim.load.crowd] %s", (_, found, expected) => expect(found).toEqual(expected))
})

describe("a crowd that is counted in joins a second", () => {
  const step = (sum: number, more: Partial<Crowd>) =>
    crowdStep({ arrival: "joinsPerSecond" }, wanted(0, sum), crowd(more))
  test.each([
    ["joins what is due", step(7.9, { present: 2, started: 5 }), { join: 2, leave: 0 }],
    ["sends nobody away", step(3, { present: 5, started: 5 }), { join: 0, leave: 0 }],
    ["fills a process", step(max + 5, { present: max - 1, started: max }), { join: 1, leave: 0 }],
    ["waits when it is full", step(max + 5, { present: max, started: max }), { join: 0, leave: 0 }]
  ])("[sim.load.crowd] %s", (_, found, expected) => expect(found).toEqual(expected))
})

test("[sim.load.crowd] nobody comes in the place of a refused player for five seconds", () => {
  expect(refusedBefore([1_000], 1_000 + LoadLimits.again.ms - 1)).toEqual([1_000])
  expect(refusedBefore([1_000], 1_000 + LoadLimits.again.ms)).toEqual([])
})

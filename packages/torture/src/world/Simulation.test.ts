import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

import { expect, test } from "vitest"

import { Batch, manyWorlds, planOf } from "./ManyWorlds.ts"
import { simulate } from "./Simulation.ts"

const program = join(import.meta.dirname, "../main.ts")

// A thousand of them, and whether they reach all of the machines: Simulation.long.test.ts. The end of a world
// costs more than its steps, and more steps lead to more: 70 worlds of 40 steps find more than 140 of 20.
test("[D-14] [D-46] [D-48] [C-702] [C-994] [C-454] [C-455] [C-456] [C-457] [C-620] [C-841] [C-842] every promise holds in 70 worlds", async () => {
  const { told, batch } = await manyWorlds(70, 40)
  expect(told).toBe("")
  // A few of these worlds lead stored state over versions; those of Simulation.long.test.ts also lead it back.
  const { ledBack: _, stayed: __, ...made } = batch.made
  expect(Object.values(made).filter((count) => count < 2)).toEqual([])
  // It gives way to the suite (`scripts/giveWay.ts`): 20 seconds by itself have taken eight minutes beside it.
}, 1_200_000)

test("[C-458] a start that goes elsewhere has an epoch of its own: a world that found it holds", () => {
  expect(simulate(planOf(1359, 60)).finding).toBeNull()
})

test("[C-80] a process that dies before a restore leaves no client unserved: a world that found it holds", () => {
  expect(simulate(planOf(258, 15)).finding).toBeNull()
})

test("[D-14] a seed has one history", () => {
  for (const seed of [3, 18]) {
    const [one, other] = [simulate(planOf(seed, 20)), simulate(planOf(seed, 20))]
    expect(one.hash).toBe(other.hash)
    expect(simulate(planOf(seed, 19)).hash).not.toBe(one.hash)
    expect(simulate(planOf(seed + 4, 20)).hash).not.toBe(one.hash)
  }
})

test("[D-14] a seed has the same history in two processes", async () => {
  const here = new Batch()
  for (const seed of [7, 8, 9]) here.add(simulate(planOf(seed, 20)))
  const args = [
    "--random-seed=77",
    program,
    "world",
    "--seed",
    "7",
    "--seeds",
    "3",
    "--steps",
    "20"
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toContain(`history ${here.hash}\n`)
})

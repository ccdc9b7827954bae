import { randomInt } from "node:crypto"

import { expect, test } from "vitest"

import { Tally } from "./Tally.ts"
import { disturbOne } from "./WorldFuzz.ts"
import { moveUnguarded, type WorldRoom, writeTo } from "./worlds/FuzzedWorld.ts"

/** The second seed is new with every run; a failure names the command that does its case again. */
const seeds = [20_251_128, randomInt(2 ** 31)] as const
const Cases = 1

test.each(seeds)("[C-862] a world takes no hostile number, and plays on: seed %s", async (seed) => {
  const tally = new Tally()
  for (let index = 0; index < Cases; index++) await disturbOne({ seed, index }, tally)
  const again = tally.faults.map(
    ({ index, says }) =>
      `${says}; again: npm run fuzz -- --seed ${seed} --only worlds --case ${index}`
  )
  expect(again).toEqual([])
  for (const kind of ["world, by a client", "world, by room code"]) {
    expect(tally.has(kind, "refused"), kind).toBe(true)
  }
})

test.each([
  ["NaN past the guard", (room: WorldRoom) => moveUnguarded(room, { x: Number.NaN, y: 1, z: 0 })],
  [
    "one write more",
    (room: WorldRoom) =>
      writeTo(room, { name: "setFriction", ball: 1, value: 0.123, at: { x: 0, y: 0, z: 0 } })
  ]
])("a case tells of %s", async (_, meddle) => {
  const tally = new Tally()
  await disturbOne({ seed: seeds[0], index: 0, meddle }, tally)
  expect(tally.faults).toHaveLength(1)
})

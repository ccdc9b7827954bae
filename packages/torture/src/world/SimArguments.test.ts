import { expect, test } from "vitest"

import { readSimArguments } from "./SimArguments.ts"

const read = (line: string) => readSimArguments(line === "" ? [] : line.split(" "), 77)

test("[simulation] without a seed 200 fresh worlds are lived through, with one that one", () => {
  expect(read("")).toEqual({ seed: 77, seeds: 200, steps: 120, only: null })
  expect(read("--seed 5")).toEqual({ seed: 5, seeds: 1, steps: 120, only: null })
  expect(read("--seed 5 --seeds 9 --steps 30")).toEqual({
    seed: 5,
    seeds: 9,
    steps: 30,
    only: null
  })
  expect(read("--seed 0 --only 3,17")).toMatchObject({ seed: 0, only: new Set([3, 17]) })
})

test.each([
  ["--seed", "--seed must be a whole number from 0 to 2147483647"],
  ["--seed -1", "--seed must be a whole number from 0 to 2147483647"],
  ["--seed 2147483648", "--seed must be a whole number from 0 to 2147483647"],
  ["--seeds 0", "--seeds must be a whole number from 1 to 10000000"],
  ["--steps 1.5", "--steps must be a whole number from 0 to 100000"],
  ["--steps 1e3", "--steps must be a whole number from 0 to 100000"],
  ["--only", "--only must be numbers of steps, with commas between them"],
  ["--only 1,,2", "--only must be numbers of steps, with commas between them"],
  ["--fast", "--fast is not an option"]
])("[simulation] %s is refused in one sentence", (line, says) => {
  expect(read(line)).toBe(says)
})

test("[simulation] both ends of a bound are taken", () => {
  expect(read("--seed 2147483647 --seeds 10000000 --steps 100000")).toMatchObject({
    seed: 2147483647,
    seeds: 10000000,
    steps: 100000
  })
  expect(read("--seeds 1 --steps 0")).toMatchObject({ seeds: 1, steps: 0 })
})

import { describe, expect, it } from "vitest"

import { readSoakArguments } from "./SoakArguments.ts"

const read = (line: string) => readSoakArguments(line.split(" ").filter(Boolean), 7)

describe("the command line of soak", () => {
  it("[D-41] without a word: both parts, with a fresh seed", () => {
    expect(read("")).toEqual({
      cycles: { cycles: 10_000, workers: 16 },
      kills: { minutes: 3, seed: 7 }
    })
  })

  it("[D-41] one part, as long as asked", () => {
    expect(read("--only cycles --cycles 60 --workers 20")).toEqual({
      cycles: { cycles: 60, workers: 20 },
      kills: null
    })
    expect(read("--seed 0 --minutes 0.5 --only kills")).toEqual({
      cycles: null,
      kills: { minutes: 0.5, seed: 0 }
    })
  })

  it.each([
    ["--only everything", "--only must be cycles or kills"],
    ["--fast 1", "--fast is not an option"],
    ["60", "60 is not an option"],
    ["--cycles", "--cycles must be a number from 1 to 10000000"],
    ["--cycles 0", "--cycles must be a number from 1 to 10000000"],
    ["--cycles 1.5", "--cycles must be a number from 1 to 10000000"],
    ["--workers 21", "--workers must be a number from 1 to 20"],
    ["--seed -1", "--seed must be a number from 0 to 4294967295"],
    ["--minutes long", "--minutes must be a number from 0.1 to 10000"]
  ])("[D-41] %s: %s", (line, told) => {
    expect(read(line)).toBe(told)
  })
})

import { describe, expect, test } from "vitest"

import { manyWorlds, planOf } from "./ManyWorlds.ts"
import { mutants, partsOf } from "./Mutants.ts"
import { again, findingLines } from "./Report.ts"
import { shrink } from "./Shrink.ts"
import { simulate } from "./Simulation.ts"

test("[D-14] [D-46] [D-48] every promise holds in 1,000 worlds, which reach all of the machines", async () => {
  const { told, batch } = await manyWorlds(1000, 40)
  expect(told).toBe("")
  expect(batch.coverage.missing()).toEqual([])
  const { led, chained, ledBack, discarded, stayed, filmedCallsLost, ...made } = batch.made
  expect(Object.values(made).filter((count) => count < 100)).toEqual([])
  expect(Math.min(led, chained, ledBack, discarded, stayed, filmedCallsLost)).toBeGreaterThan(1)
}, 1_200_000)

/** Each found a fault once, with these of its steps. */
const kept: ReadonlyArray<readonly [id: string, seed: number, only: ReadonlyArray<number>]> = [
  [
    "C-653",
    1_000_247,
    [0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 18, 20, 22, 24, 25, 26, 29, 35, 36, 37, 45, 46, 52]
  ],
  ["C-653", 1_000_618, [0, 1, 3, 13, 14, 16, 18, 24, 37, 40, 41]],
  [
    "C-654",
    1_000_555,
    [
      30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70,
      71, 83, 85, 86, 87, 88, 89, 91, 92, 95, 96, 98, 99, 100, 101, 102, 103, 109, 110, 112
    ]
  ]
]

test.each(kept)(
  "[%s] a world that found a fault holds: seed %d",
  (_, seed, only) => {
    const steps = Math.max(...only) + 1
    expect(simulate({ seed, steps, only: new Set(only) }).finding).toBeNull()
  },
  120_000
)

describe("worlds of parts that are wrong", () => {
  const steps = 40
  /** Of four seeds in a row the last has the worst weather. */
  const [seedsFrom, seedsEvery, seedsMax] = [3, 4, 200]

  const found = (index: number) => {
    const mutant = mutants[index]
    if (mutant === undefined) throw new Error("no such mutant")
    const parts = partsOf(mutant)
    const others = new Set<string>()
    const seeds = [
      ...(mutant.near ?? []),
      ...Array.from({ length: seedsMax }, (_, at) => seedsFrom + at * seedsEvery)
    ]
    for (const seed of seeds) {
      const plan = planOf(seed, mutant.steps ?? steps)
      const rule = simulate(plan, parts).finding?.rule
      if (rule === mutant.rule) return { plan, parts, others }
      if (rule !== undefined) others.add(rule)
    }
    return { plan: null, parts, others }
  }

  test.each(mutants.map((mutant, index) => ({ ...mutant, index })))(
    "[D-14] $rule finds that $says",
    ({ index }) => {
      const { plan, others } = found(index)
      expect(plan, `found by ${[...others].join(", ") || "nobody"}`).not.toBeNull()
    },
    300_000
  )

  test("[D-14] a finding is made shorter, and its command has it again", () => {
    const index = mutants.findIndex(({ rule }) => rule === "deletion")
    const { plan, parts } = found(index)
    if (plan === null) throw new Error("nothing was found")
    const shorter = shrink(plan, "deletion", parts)
    expect(shorter.only?.size ?? shorter.steps).toBeLessThan(plan.steps / 2)
    expect(simulate(shorter, parts).finding?.rule).toBe("deletion")
    expect(again(shorter)).toMatch(
      /^npm run torture -- world --seed \d+ --steps \d+ --only [\d,]+$/
    )
    const lines = findingLines(plan, "deletion", parts)
    expect(lines[0]).toMatch(/^FAULT deletion in seed \d+, with \d+ of 40 steps: /)
    expect(lines.at(-1)).toBe(`  again: ${again(shorter)}`)
  })
})

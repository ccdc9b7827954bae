import { describe, expect, test } from "vitest"

import { keptSeeds } from "./KeptSeeds.ts"
import { manyWorlds, planOf, toldBy } from "./ManyWorlds.ts"
import { mutants, partsOf } from "./Mutants.ts"
import { again, findingLines } from "./Report.ts"
import { shrink } from "./Shrink.ts"
import { simulate } from "./Simulation.ts"

describe("worlds", () => {
  // A thousand of them, and whether they reach all of the machines: Simulation.long.test.ts.
  test("[D-14] [D-46] [D-48] in 120 of them every promise holds", () => {
    const { told, made } = manyWorlds(120)
    expect(told).toBe("")
    expect(Object.values(made).filter((count) => count < 10)).toEqual([])
  }, 60_000)

  test("[D-14] the same seed has the same history, to the byte", () => {
    for (const seed of [3, 5, 18, 167]) {
      const [one, other] = [simulate(planOf(seed, 80)), simulate(planOf(seed, 80))]
      expect(one.hash).toBe(other.hash)
      expect(simulate(planOf(seed, 79)).hash).not.toBe(one.hash)
      expect(simulate(planOf(seed + 4, 80)).hash).not.toBe(one.hash)
    }
  })

  test.each(keptSeeds)("[C-150] [C-151] seed $seed once found: $found", ({ seed, steps }) => {
    const plan = planOf(seed, steps)
    expect(toldBy(plan, simulate(plan))).toBe("")
  })
})

describe("worlds of parts that are wrong", () => {
  const steps = 60
  /** Of four seeds in a row the last has the worst weather. */
  const [seedsFrom, seedsEvery, seedsMax] = [3, 4, 200]

  const found = (index: number) => {
    const mutant = mutants[index]
    if (mutant === undefined) throw new Error("no such mutant")
    const parts = partsOf(mutant)
    const others = new Set<string>()
    const plans = [
      ...(mutant.near ?? []).map((seed) => planOf(seed, 2 * steps)),
      ...Array.from({ length: seedsMax }, (_, at) => planOf(seedsFrom + at * seedsEvery, steps))
    ]
    for (const plan of plans) {
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
    120_000
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
    expect(lines[0]).toMatch(/^FAULT deletion in seed \d+, with \d+ of 60 steps: /)
    expect(lines.at(-1)).toBe(`  again: ${again(shorter)}`)
  })
})

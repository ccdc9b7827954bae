import fc from "fast-check"
import { expect, it } from "vitest"

import { planFaults } from "./FaultPlan.ts"

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 })

it("[D-48] the same seed gives the same plan, another one another", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const options = { seed, rounds: 3, roundMs: 30_000 }
      expect(planFaults(options)).toEqual(planFaults(options))
      expect(planFaults({ ...options, seed: seed + 1 })).not.toEqual(planFaults(options))
      // More rounds go on where fewer end: a failure in the first is seen again in a shorter run.
      expect(planFaults({ ...options, rounds: 1 })).toEqual(planFaults(options).slice(0, 1))
    })
  )
})

it("[D-48] the faults of a round fit into it, and a long one has every kind", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const [round] = planFaults({ seed, rounds: 1, roundMs: 60_000 })
      const faults = round?.faults ?? []
      expect(faults.reduce((sum, { afterMs }) => sum + afterMs, 0)).toBeLessThan(60_000)
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(
        new Set(["room", "service", "drain", "backend", "postmaster", "redeploy", "cut"])
      )
      for (const { pick } of faults) expect(pick >= 0 && pick < 1).toBe(true)
    })
  )
})

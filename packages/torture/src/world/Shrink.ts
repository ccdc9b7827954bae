import type { Parts } from "./Parts.ts"
import { type Plan, simulate } from "./Simulation.ts"

/** Runs that a search for a shorter plan may take. */
const runsMax = 300

/**
 * A plan with fewer steps that breaks the same rule. What is left out changes what the weather does
 * to the rest, so that it is a matter of luck how short it gets.
 */
export const shrink = (plan: Plan, rule: string, parts: Parts): Plan => {
  let runs = 0
  let best = plan
  const breaks = (candidate: Plan): boolean => {
    runs++
    return simulate(candidate, parts).finding?.rule === rule
  }
  const found = simulate(plan, parts).finding
  const cut = { ...plan, steps: found?.step ?? plan.steps }
  if (breaks(cut)) best = cut
  const taken = (): ReadonlyArray<number> =>
    Array.from({ length: best.steps }, (_, at) => at).filter((at) => best.only?.has(at) ?? true)
  for (let size = best.steps >> 1; size >= 1 && runs < runsMax; size >>= 1) {
    for (let from = 0; from < taken().length && runs < runsMax;) {
      const steps = taken()
      const only = new Set([...steps.slice(0, from), ...steps.slice(from + size)])
      if (breaks({ ...best, only })) best = { ...best, only }
      else from += size
    }
  }
  return best
}

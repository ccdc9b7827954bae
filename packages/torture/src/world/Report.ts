import type { Coverage } from "./Coverage.ts"
import { type Parts, rightParts } from "./Parts.ts"
import { shrink } from "./Shrink.ts"
import { type Plan, simulate } from "./Simulation.ts"

const linesMax = 40
const pairsPerLine = 4

/** The command that has a run again. */
export const again = ({ seed, steps, only }: Plan): string => {
  const few = only === null ? "" : ` --only ${[...only].join(",")}`
  return `npm run torture -- world --seed ${seed} --steps ${steps}${few}`
}

/** The finding of a run, shrunk to its fewest steps, with the last lines of its trace. */
export const findingLines = (
  plan: Plan,
  rule: string,
  parts: Parts = rightParts
): ReadonlyArray<string> => {
  const shorter = shrink(plan, rule, parts)
  const { finding } = simulate(shorter, parts)
  if (finding === null) return [`FAULT ${rule} in seed ${plan.seed}`, `  again: ${again(plan)}`]
  const steps = shorter.only?.size ?? shorter.steps
  return [
    `FAULT ${rule} in seed ${plan.seed}, with ${steps} of ${plan.steps} steps: ${finding.message}`,
    ...finding.trace(linesMax).map((line) => `  ${line}`),
    `  again: ${again(shorter)}`
  ]
}

/** The coverage of a batch: what its worlds reached, and what they missed. */
export const coverageLines = (coverage: Coverage): ReadonlyArray<string> => {
  const missing = coverage.missing()
  const unmet = coverage.unmet()
  const lines = [
    `  ${coverage.pairs - unmet.length} of ${coverage.pairs} pairs of a room's state and an event met`
  ]
  for (let at = 0; at < unmet.length; at += pairsPerLine) {
    lines.push(`    not: ${unmet.slice(at, at + pairsPerLine).join(", ")}`)
  }
  return missing.length === 0 ? lines : [`  not reached: ${missing.join(", ")}`, ...lines]
}

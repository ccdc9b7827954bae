import { Coverage } from "./Coverage.ts"
import { findingLines } from "./Report.ts"
import { type Plan, type Run, simulate } from "./Simulation.ts"

export const planOf = (seed: number, steps: number): Plan => ({ seed, steps, only: null })

/** The report of a world that has found something; empty = every promise held. */
export const toldBy = (plan: Plan, { finding }: Run): string =>
  finding === null ? "" : findingLines(plan, finding.rule).join("\n")

/** Runs the worlds of the seeds from 0 on, up to the first that finds something. */
export const manyWorlds = (count: number) => {
  const coverage = new Coverage()
  const made = { writes: 0, deletions: 0, settings: 0, restores: 0 }
  for (let seed = 0; seed < count; seed++) {
    const plan = planOf(seed, 40)
    const run = simulate(plan)
    const told = toldBy(plan, run)
    if (told !== "") return { told, missing: coverage.missing(), made }
    coverage.add(run.coverage)
    made.writes += run.promises.writes
    made.deletions += run.promises.deletions
    made.settings += run.promises.settings
    made.restores += run.promises.restores
  }
  return { told: "", missing: coverage.missing(), made }
}

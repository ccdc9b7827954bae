import { Coverage } from "./Coverage.ts"
import { findingLines } from "./Report.ts"
import { type Plan, type Promises, type Run, simulate } from "./Simulation.ts"
import { noneLed } from "./VersionWatch.ts"

export const planOf = (seed: number, steps: number): Plan => ({ seed, steps, only: null })

/** The report of a world that has found something; empty = every promise held. */
const toldBy = (plan: Plan, { finding }: Run): string =>
  finding === null ? "" : findingLines(plan, finding.rule).join("\n")

const none: Promises = {
  writes: 0,
  deletions: 0,
  settings: 0,
  restores: 0,
  spared: 0,
  metered: 0,
  talked: 0,
  words: 0,
  scores: 0,
  games: 0,
  matched: 0,
  clips: 0,
  chunks: 0,
  filmedCallsLost: 0,
  ...noneLed
}

const sumOf = (one: Promises, other: Promises): Promises => ({
  writes: one.writes + other.writes,
  deletions: one.deletions + other.deletions,
  settings: one.settings + other.settings,
  restores: one.restores + other.restores,
  spared: one.spared + other.spared,
  metered: one.metered + other.metered,
  talked: one.talked + other.talked,
  words: one.words + other.words,
  scores: one.scores + other.scores,
  games: one.games + other.games,
  matched: one.matched + other.matched,
  clips: one.clips + other.clips,
  chunks: one.chunks + other.chunks,
  filmedCallsLost: one.filmedCallsLost + other.filmedCallsLost,
  led: one.led + other.led,
  chained: one.chained + other.chained,
  ledBack: one.ledBack + other.ledBack,
  discarded: one.discarded + other.discarded,
  stayed: one.stayed + other.stayed
})

/** What a batch of worlds has shown. */
export class Batch {
  readonly coverage = new Coverage()
  made: Promises = none
  /** Of all histories: two batches of the same worlds have the same. */
  hash = 0

  add({ coverage, promises, hash }: Run): void {
    this.coverage.add(coverage)
    this.made = sumOf(this.made, promises)
    this.hash = (Math.imul(this.hash, 31) + hash) >>> 0
  }
}

/** Runs the worlds of the seeds from 0 on, up to the first that finds something. */
export const manyWorlds = async (count: number, steps: number) => {
  const batch = new Batch()
  for (let seed = 0; seed < count; seed++) {
    const plan = planOf(seed, steps)
    const run = simulate(plan)
    batch.add(run)
    const told = toldBy(plan, run)
    if (told !== "") return { told, batch }
    // Promises of a world settle after its end. This turn lets them, so that its memory is freed.
    await Promise.resolve()
  }
  return { told: "", batch }
}

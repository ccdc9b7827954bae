import type { Probe } from "../check/Check.ts"
import type { Trial } from "../trial/Trial.ts"
import type { Subject } from "./Machine.ts"
import { type RaceRun, runRaces } from "./RunRaces.ts"

export interface RaceCheck<State, Deed, View> extends Pick<
  RaceRun<State, Deed, View>,
  "machine" | "scenes" | "tell" | "runs"
> {
  readonly title: string
  readonly needs?: ReadonlyArray<string>
  readonly start: (trial: Trial) => Promise<Subject<Deed, View>>
  readonly holdsAfterMs?: number
}

const beginsWithinMs = 15_000
const endsWithinMs = 120_000

/** A check that sends things at the same time and asks for an order that explains what came of it. */
export const raceCheck = <State, Deed, View>(options: RaceCheck<State, Deed, View>): Probe => {
  const { title, needs, start, runs, ...race } = options
  return {
    name: "race",
    title,
    timeoutMs: endsWithinMs,
    ...(needs === undefined ? {} : { needs }),
    run: async (trial) => {
      const { mismatch, seed } = await runRaces({
        ...race,
        runs: trial.modelRuns ?? runs,
        seed: trial.seed,
        limitMs: beginsWithinMs,
        start: () => start(trial)
      })
      if (mismatch === null) return
      // The network also decides which request comes first, so a seed makes the same race likely, not certain.
      trial.note(`seed ${seed}`)
      throw mismatch
    }
  }
}

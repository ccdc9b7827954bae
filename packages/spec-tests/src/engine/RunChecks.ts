import { availableParallelism } from "node:os"

import type { Check } from "../check/Check.ts"
import type { CheckResult } from "./CheckResult.ts"
import { type CheckRun, runCheck } from "./RunCheck.ts"

export interface ChecksRun extends CheckRun {
  /** Checks at once. */
  readonly jobs: number
  readonly onResult: (result: CheckResult) => void
}

/** The load that two cores carry without slowing a check into its deadline. */
export const defaultJobs = Math.max(4, availableParallelism() * 2)

/** Runs checks side by side, and then, one by one, those that want to be alone. */
export const runChecks = async (
  checks: ReadonlyArray<Check>,
  run: ChecksRun
): Promise<ReadonlyArray<CheckResult>> => {
  const results: Array<CheckResult> = []
  const queue = checks.filter(({ alone }) => alone !== true).toSorted(longestFirst)
  const work = async (queued: Array<Check>): Promise<void> => {
    for (let check = queued.shift(); check !== undefined; check = queued.shift()) {
      if (run.signal.aborted) return
      const result = await runCheck(check, { ...run, seed: seedOf(run.seed, check) })
      if (result === null) return
      results.push(result)
      run.onResult(result)
    }
  }
  await Promise.all(Array.from({ length: run.jobs }, () => work(queue)))
  await work(checks.filter(({ alone }) => alone === true))
  return results
}

/** Checks that may take long begin first, so that the run does not wait for the last one alone. */
const longestFirst = (one: Check, other: Check): number =>
  (other.timeoutMs ?? 0) - (one.timeoutMs ?? 0)

/** A check's seed hangs on the run's and on its name alone, not on what else runs. */
const seedOf = (seed: number, { ids, title }: Check): number =>
  [...`${ids.join()} ${title}`].reduce(
    (hash, char) => Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    seed >>> 0
  )

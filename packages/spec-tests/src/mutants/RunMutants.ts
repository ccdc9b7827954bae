import type { Check } from "../check/Check.ts"
import type { CheckResult } from "../engine/CheckResult.ts"
import { lateReason } from "../engine/RunCheck.ts"
import type { Suite } from "../engine/Suite.ts"
import { areaOf } from "../sections/Requirement.ts"
import { requirementOf } from "../sections/Requirements.ts"
import type { Mutant } from "./Mutant.ts"

/** An implementation that runs, with a mutant or without. */
export interface Started {
  /** Runs checks on it. */
  check(checks: ReadonlyArray<Check>): Promise<ReadonlyArray<CheckResult>>
  stop(): Promise<void>
}

export interface MutantsRun {
  readonly mutants: ReadonlyArray<Mutant>
  readonly suite: Pick<Suite, "checks" | "ambientRules">
  /** `null` = without any mutant. */
  readonly start: (mutant: string | null) => Promise<Started>
  /** Implementations that run at once. */
  readonly jobs: number
  readonly signal: AbortSignal
  readonly onVerdict: (verdict: MutantVerdict) => void
}

export interface MutantVerdict {
  /** `null` = the run without a mutant, in which all must pass. */
  readonly mutant: Mutant | null
  readonly killed: boolean
  /** Findings beside the expected ones. Expected is that each requirement of the mutant fails. */
  readonly faults: ReadonlyArray<string>
  readonly tookMs: number
}

/**
 * Starts an implementation once without a fault and once with each: the same checks must pass there
 * and fail here, or the failures would prove nothing.
 */
export const runMutants = async (run: MutantsRun): Promise<ReadonlyArray<MutantVerdict>> => {
  const queue: Array<Mutant | null> = [null, ...run.mutants]
  const verdicts: Array<MutantVerdict> = []
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (run.signal.aborted) return
      const verdict = await judged(run, next)
      verdicts.push(verdict)
      run.onVerdict(verdict)
    }
  }
  await Promise.all(Array.from({ length: run.jobs }, work))
  return verdicts
}

const judged = async (run: MutantsRun, mutant: Mutant | null): Promise<MutantVerdict> => {
  const beganMs = performance.now()
  const ids = mutant === null ? run.mutants.flatMap(({ killedBy }) => killedBy) : mutant.killedBy
  const faults = await faultsOf(run, mutant, [...new Set(ids.map(originalOf))])
  const tookMs = Math.round(performance.now() - beganMs)
  return { mutant, killed: faults.length === 0, faults, tookMs }
}

/** A requirement that says another one again has the other's check. */
const originalOf = (id: string): string => requirementOf(id).sameAs ?? id

const faultsOf = async (
  run: MutantsRun,
  mutant: Mutant | null,
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const checks = checksFor(run.suite, ids)
  try {
    const started = await run.start(mutant?.id ?? null)
    try {
      const results = await started.check(checks)
      return mutant === null ? notPassed(ids, results) : notFailed(ids, results)
    } finally {
      await started.stop()
    }
  } catch (cause) {
    return [`it could not be run: ${cause instanceof Error ? cause.message : String(cause)}`]
  }
}

/** The checks that prove the ids. An ambient rule needs exchanges: it takes all checks of its area. */
const checksFor = (
  { checks, ambientRules }: MutantsRun["suite"],
  ids: ReadonlyArray<string>
): ReadonlyArray<Check> => {
  const wanted = new Set(ids)
  const ambient = ambientRules.flatMap((rule) => rule.ids.filter((id) => wanted.has(id)))
  const areas = new Set(ambient.map(areaOf))
  return checks.filter((check) => check.ids.some((id) => wanted.has(id) || areas.has(areaOf(id))))
}

/** A requirement that is declared off is not asked, if another one proves the same. */
const notPassed = (
  ids: ReadonlyArray<string>,
  results: ReadonlyArray<CheckResult>
): ReadonlyArray<string> => {
  const passed = new Set(results.flatMap((one) => (one.status === "pass" ? one.ids : [])))
  return [
    ...ids.flatMap((id) => (passed.has(id) ? [] : [`without a mutant: ${id} is not proved`])),
    ...results.flatMap(({ status, ids: own, title, reason }) =>
      status === "pass" || status === "unsupported"
        ? []
        : [`without a mutant: ${status} ${own.join()} ${title}: ${reason}`]
    )
  ]
}

const notFailed = (
  ids: ReadonlyArray<string>,
  results: ReadonlyArray<CheckResult>
): ReadonlyArray<string> =>
  ids.flatMap((id) => {
    const own = results.filter((result) => result.ids.includes(id))
    if (own.some(({ status, reason }) => status === "fail" && reason !== lateReason)) return []
    if (own.length === 0) return [`${id}: no check`]
    return own.map(({ status, title, reason }) => `${id}: ${status}: ${title}: ${reason ?? ""}`)
  })

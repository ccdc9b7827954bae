import type { Check } from "../check/Check.ts"
import { Mismatch, Unsupported, Untestable } from "../check/Expect.ts"
import { requirementOf } from "../requirements/Requirement.ts"
import type { Ambient } from "../trial/Ambient.ts"
import type { FixtureProbe } from "../trial/FixtureProbe.ts"
import { ProbeTrial } from "../trial/ProbeTrial.ts"
import { masked } from "../trial/Trace.ts"
import type { World } from "../trial/World.ts"
import type { CheckResult } from "./CheckResult.ts"

export interface CheckRun {
  readonly world: World
  readonly ambient: Ambient
  readonly fixtures: FixtureProbe
  readonly seed: number
  /** The token of `--replay`. */
  readonly replay?: string | null
  /** Of `--model-runs`. */
  readonly modelRuns?: number | null
  /** Ends the run. */
  readonly signal: AbortSignal
}

const endsWithinMs = 20_000

/** Runs a check on an implementation; whatever happens is a result. */
export const runCheck = async (check: Check, run: CheckRun): Promise<CheckResult> => {
  const beganMs = performance.now()
  const result = (found: Partial<CheckResult> & Pick<CheckResult, "status">): CheckResult => ({
    ...{ ids: check.ids, title: check.title, reason: null, expected: null, actual: null },
    ...{ deviations: [], trace: [], seed: run.seed, replay: null },
    tookMs: Math.round(performance.now() - beganMs),
    ...found
  })
  const missing = missingFor(check, run.world)
  if (missing.length > 0) {
    return result({ status: "unsupported", reason: `not declared: ${missing.join(", ")}` })
  }
  const timeout = AbortSignal.timeout(check.timeoutMs ?? endsWithinMs)
  const signal = AbortSignal.any([run.signal, timeout])
  const trial = new ProbeTrial({ ...run, signal })
  try {
    await Promise.race([check.run(trial), aborted(signal)])
    const deviations = trial.deviations.map(
      ({ decision, mismatch }) => `${decision}: ${masked(mismatch.message)}`
    )
    return result({ status: deviations.length > 0 ? "deviates" : "pass", deviations })
  } catch (cause) {
    return result({
      ...failureOf(cause, timeout.aborted),
      ...{ trace: trial.trace.lines(), replay: trial.replayToken }
    })
  } finally {
    await trial.end()
  }
}

/** What the check needs and the implementation does not declare. */
export const missingFor = (check: Check, { config, hooks }: World): ReadonlyArray<string> => {
  const needed = [
    ...(check.needs ?? []),
    ...check.ids.flatMap((id) => {
      const requirement = requirementOf(id)
      return [...requirement.features, ...requirement.hooks]
    })
  ]
  const declared = new Set([...config.features, ...hooks])
  return [...new Set(needed.filter((need) => !declared.has(need)))]
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })

const failureOf = (
  cause: unknown,
  late: boolean
): Pick<CheckResult, "status" | "reason"> & Partial<CheckResult> => {
  if (cause instanceof Unsupported) return { status: "unsupported", reason: cause.message }
  if (cause instanceof Untestable) return { status: "untestable", reason: masked(cause.message) }
  if (cause instanceof Mismatch) {
    const { expected, actual } = cause
    return {
      ...{ status: "fail", reason: masked(cause.what) },
      ...{ expected: masked(expected), actual: masked(actual).slice(0, 1000) }
    }
  }
  if (late) return { status: "fail", reason: "it did not come to an end in time" }
  return {
    status: "error",
    reason: masked(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
  }
}

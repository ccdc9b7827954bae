import type { Check } from "../check/Check.ts"
import { Mismatch, Unsupported, Untestable } from "../check/Expect.ts"
import type { Ambient } from "../trial/Ambient.ts"
import type { FixtureProbe } from "../trial/FixtureProbe.ts"
import { ProbeTrial } from "../trial/ProbeTrial.ts"
import type { World } from "../trial/World.ts"
import type { CheckResult } from "./CheckResult.ts"
import { brokenFor, missingFor } from "./Needs.ts"

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
/** For what a check leaves to clean up. */
const cleansWithinMs = 5000
const actualMax = 1000

/** Of a check that was ended: whether the implementation hangs or is slow is not known. */
export const lateReason = "it did not come to an end in time"

type Found = Pick<CheckResult, "status"> &
  Partial<Omit<CheckResult, "trace">> & {
    /** Read at the end: a request that the end of the check cuts off is told after it. */
    readonly trace?: () => ReadonlyArray<string>
  }

/** Runs a check on an implementation; whatever happens is a result. `null` = the run ended meanwhile. */
export const runCheck = async (check: Check, run: CheckRun): Promise<CheckResult | null> => {
  const beganMs = performance.now()
  const found = unasked(check, run.world) ?? (await asked(check, run))
  if (found === null) return null
  const { secrets } = run.world
  const shown = (text: string | null | undefined): string | null =>
    text === null || text === undefined ? null : secrets.masked(text)
  return {
    ids: check.ids,
    title: check.title,
    status: found.status,
    reason: shown(found.reason),
    expected: shown(found.expected)?.slice(0, actualMax) ?? null,
    actual: shown(found.actual)?.slice(0, actualMax) ?? null,
    deviations: (found.deviations ?? []).map((text) => secrets.masked(text)),
    ...(found.witnessed === undefined ? {} : { witnessed: found.witnessed }),
    trace: found.trace?.() ?? [],
    curl: found.curl ?? null,
    seed: run.seed,
    replay: found.replay ?? null,
    tookMs: Math.round(performance.now() - beganMs)
  }
}

/** The verdict on what need not be asked; null = it must be. */
const unasked = (check: Check, world: World): Found | null => {
  const missing = missingFor(check, world)
  if (missing.length > 0) {
    return { status: "unsupported", reason: `not declared: ${missing.join(", ")}` }
  }
  const broken = brokenFor(check, world.broken)
  return broken === null ? null : { status: "untestable", reason: broken }
}

const asked = async (check: Check, run: CheckRun): Promise<Found | null> => {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new Late()),
    (check.timeoutMs ?? endsWithinMs) * run.world.patience
  )
  const signal = AbortSignal.any([run.signal, late.signal])
  const trial = new ProbeTrial({ ...run, signal, alone: check.alone === true })
  try {
    await raced(check.run(trial), signal)
    const told = trial.deviations.map(
      ({ decision, mismatch }) => `${decision}: ${mismatch.message}`
    )
    // A check that asks many times finds the same many times.
    const deviations = [...new Set(told)]
    const witnessed = trial.witness.list()
    return { status: deviations.length > 0 ? "deviates" : "pass", deviations, witnessed }
  } catch (cause) {
    if (run.signal.aborted) return null
    const { trace, replayToken } = trial
    const curl = trace.curl(run.world.config.baseUrl)
    const failed = failureOf(late.signal.aborted ? late.signal.reason : cause)
    return { ...failed, trace: () => trace.lines(), curl, replay: replayToken }
  } finally {
    clearTimeout(timer)
    // Whatever the check still does fails from now on.
    late.abort(new Late())
    await within(trial.end(), cleansWithinMs)
  }
}

/** The time of a check is over. */
class Late extends Error {}

const raced = async (running: Promise<void>, signal: AbortSignal): Promise<void> => {
  const stop = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason)
    if (signal.aborted) return end()
    signal.addEventListener("abort", end, { once: true, signal: stop.signal })
  })
  try {
    await Promise.race([running, aborted])
  } finally {
    stop.abort()
    aborted.catch(() => undefined)
    running.catch(() => undefined)
  }
}

const within = async (work: Promise<unknown>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** A connection that broke is the implementation's doing; what else breaks is the suite's. */
const theirCodes =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|HPE_|WS_ERR_)/

const failureOf = (cause: unknown): Found => {
  if (cause instanceof Unsupported) return { status: "unsupported", reason: cause.message }
  if (cause instanceof Untestable) return { status: "untestable", reason: cause.message }
  if (cause instanceof Late) return { status: "fail", reason: lateReason }
  if (cause instanceof Mismatch) {
    const { expected, actual } = cause
    return { status: "fail", reason: cause.what, expected, actual }
  }
  const { code }: { code?: unknown } = Object(cause)
  if (typeof code === "string" && theirCodes.test(code)) {
    return { status: "fail", reason: "a connection broke", expected: "an answer", actual: code }
  }
  return {
    status: "error",
    reason: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  }
}

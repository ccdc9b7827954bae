import { type Report, judge } from "../report/Report.ts"
import { type Header, type HeaderFields, type ReportLine, header } from "../report/ReportLine.ts"
import { Ambient, type AmbientFinding, type AmbientRule } from "../trial/Ambient.ts"
import { withoutCredentials } from "../trial/Curl.ts"
import { openFixtures } from "../trial/Fixtures.ts"
import type { World } from "../trial/World.ts"
import type { CheckResult } from "./CheckResult.ts"
import { missingFor } from "./Needs.ts"
import { type ChecksRun, runChecks } from "./RunChecks.ts"
import { checksOf, selected } from "./Selection.ts"
import { smoke } from "./Smoke.ts"
import type { Suite } from "./Suite.ts"

export interface SuiteRun {
  readonly suite: Suite
  readonly world: World
  readonly header: Omit<HeaderFields, "features" | "hooks" | "implementation" | "baseUrl">
  readonly jobs: number
  readonly replay: string | null
  readonly modelRuns: number | null
  /** Ends the run; what ran is reported. */
  readonly signal: AbortSignal
  /** Every line of the report as it comes. */
  readonly onLine: (line: ReportLine) => void
  readonly onProgress: (progress: Progress) => void
}

export interface Progress {
  readonly phase: string
  readonly done: number
  readonly of: number
}

/** Asks an implementation all that is selected. Never fails: what breaks is in the report. */
export const runSuite = async (run: SuiteRun): Promise<Report> => {
  const { suite, world, onLine, signal } = run
  const top = headerOf(run)
  onLine(top)
  const phases = new Phases()
  const ambient = new Ambient(suite.ambientRules, world.codecs)
  const fixtures = openFixtures(world)
  try {
    run.onProgress({ phase: "smoke", done: 0, of: 0 })
    const findings = await phases.time("smoke", () => smoke({ world, ambient, fixtures, signal }))
    for (const finding of findings) onLine({ type: "smoke", ...finding })
    const { seed } = run.header
    const { replay, modelRuns, jobs } = run
    const asked = { world, ambient, fixtures, seed, replay, modelRuns, jobs, signal }
    const results = await phased(run, { asked, phases })
    return finished(run, { header: top, smoke: findings, results, phases })
  } finally {
    await fixtures.close()
  }
}

/** The facts of a run that are known before it begins. */
const headerOf = ({ world, header: fields }: SuiteRun): Header =>
  header({
    ...fields,
    implementation: world.config.name,
    baseUrl: withoutCredentials(world.config.baseUrl),
    features: world.config.features,
    hooks: [...world.hooks].toSorted()
  })

interface Finished extends Pick<Report, "header" | "smoke" | "results"> {
  readonly phases: Phases
}

const finished = (
  { suite, onLine, signal }: SuiteRun,
  { header: top, smoke: findings, results, phases }: Finished
): Report => {
  const verdicts = judge(suite, { header: top, results })
  for (const verdict of verdicts) onLine({ type: "verdict", ...verdict })
  const end = signal.aborted ? ("interrupted" as const) : ("done" as const)
  const footer = { type: "footer" as const, end, phases: phases.took }
  onLine(footer)
  return { header: top, smoke: findings, results, verdicts, footer }
}

interface Asked {
  readonly asked: Omit<ChecksRun, "onResult">
  readonly phases: Phases
}

/** Side by side, then one by one, then what all exchanges showed. */
const phased = async (run: SuiteRun, { asked, phases }: Asked): Promise<Array<CheckResult>> => {
  const { suite, header: fields } = run
  const checks = checksOf(suite.checks, selected(suite.requirements, fields))
  const results: Array<CheckResult> = []
  const tell = (phase: string): void =>
    run.onProgress({ phase, done: results.length, of: checks.length })
  const take = (result: CheckResult): void => {
    results.push(result)
    run.onLine({ type: "result", ...result })
  }
  const together = checks.filter(({ alone }) => alone !== true)
  const alone = checks.filter((check) => check.alone === true)
  for (const [phase, some] of [
    ["together", together],
    ["alone", alone]
  ] as const) {
    tell(phase)
    const onResult = (result: CheckResult): void => {
      take(result)
      tell(phase)
    }
    await phases.time(phase, () => runChecks(some, { ...asked, onResult }))
  }
  for (const [rule, finding] of asked.ambient.findings()) {
    // A run that was ended has not seen enough to say that something is never seen.
    if (asked.signal.aborted && finding.seen === 0) continue
    take(ambientResult(rule, { finding, run }))
  }
  return results
}

/** The findings of a rule, as the result of a check. A rule that never saw its case proves nothing. */
const ambientResult = (
  rule: AmbientRule,
  { finding, run }: { readonly finding: AmbientFinding; readonly run: SuiteRun }
): CheckResult => {
  const { ids, title } = rule
  const { secrets } = run.world
  const missing = missingFor(rule, run.world)
  const result = (found: Pick<CheckResult, "status" | "reason">): CheckResult => ({
    ids,
    title,
    expected: null,
    actual: null,
    deviations: [],
    curl: null,
    replay: null,
    trace: finding.faults.map((fault) => secrets.masked(fault)),
    seed: run.header.seed,
    tookMs: 0,
    ...found
  })
  if (finding.broke !== null) return result({ status: "error", reason: finding.broke })
  const [first] = finding.faults
  if (first !== undefined) return result({ status: "fail", reason: secrets.masked(first) })
  if (missing.length > 0) {
    return result({ status: "unsupported", reason: `not declared: ${missing.join(", ")}` })
  }
  if (finding.seen > 0) return result({ status: "pass", reason: null })
  return result({ status: "untestable", reason: "no exchange of this run showed it" })
}

/** Where the time goes. */
class Phases {
  readonly took: Array<{ readonly name: string; readonly tookMs: number }> = []

  async time<A>(name: string, work: () => Promise<A>): Promise<A> {
    const beganMs = performance.now()
    const done = await work()
    this.took.push({ name, tookMs: Math.round(performance.now() - beganMs) })
    return done
  }
}

import { Schema } from "effect"

import { capabilitiesOf, featureOf } from "../sections/Capabilities.ts"
import type { Requirement } from "../sections/Requirement.ts"
import { type Baseline, known } from "./Baseline.ts"
import { type CheckResult, type Status, statuses, worse } from "./CheckResult.ts"
import { exemptions } from "./Features.ts"
import { type Declared, needsOf, undeclared } from "./Needs.ts"

/**
 * `not-scored`: the requirement is younger than the frozen set; the reason says what became of it.
 * `not-run`: the run ended before its checks did.
 */
export const verdictStatuses = [...statuses, "not-scored", "not-run"] as const
export type VerdictStatus = (typeof verdictStatuses)[number]

/** The verdict on one requirement, as a line of the report. */
export const Verdict = Schema.Struct({
  id: Schema.String,
  line: Schema.Int,
  section: Schema.String,
  statement: Schema.String,
  level: Schema.Literals(["must", "decided", "info"]),
  tier: Schema.Literals(["A", "B", "C", "D"]),
  status: Schema.Literals(verdictStatuses),
  /** The reason: a missing feature, a deviation, or why it is only documented. */
  reason: Schema.NullOr(Schema.String),
  decisions: Schema.Array(Schema.String),
  sameAs: Schema.NullOr(Schema.String),
  /** Titles of the checks that were asked for it. */
  checks: Schema.Array(Schema.String)
})
export type Verdict = typeof Verdict.Type

export interface Judging {
  readonly requirements: ReadonlyArray<Requirement>
  readonly results: ReadonlyArray<CheckResult>
  /** Titles of the checks and ambient rules that prove an id, whether they ran or not. */
  readonly proofs: ReadonlyMap<string, ReadonlyArray<string>>
  readonly declared: Declared
  readonly baseline: Baseline
  /** A mismatch in what is our choice is a failure. */
  readonly strict: boolean
  /** Ids of the frozen set; null = all count. */
  readonly scored: ReadonlySet<string> | null
  /** Why a requirement is only documented. */
  readonly documented: (id: string) => string | null
}

interface Judged {
  readonly status: VerdictStatus
  readonly reason: string | null
}

/** The verdict on each requirement: the most severe of its checks, then the baseline. */
export const verdictsOf = (judging: Judging): ReadonlyArray<Verdict> => {
  const byId = new Map<string, Array<CheckResult>>()
  // Checks that run together end in any order; the same findings give the same report.
  for (const result of judging.results.toSorted(byTitle)) {
    for (const id of result.ids) byId.set(id, [...(byId.get(id) ?? []), result])
  }
  return judging.requirements.map((requirement) => {
    const { id, line, section, statement, level, tier, decisions, sameAs } = requirement
    const results = [id, sameAs].flatMap((one) => (one === undefined ? [] : (byId.get(one) ?? [])))
    const judged = judgedBy(requirement, { results, judging })
    return {
      id,
      line,
      section,
      statement,
      level,
      tier,
      decisions,
      sameAs: sameAs ?? null,
      ...(judging.scored?.has(id) === false ? notScored(judged) : judged),
      checks: [...new Set(results.map(({ title }) => title))]
    }
  })
}

const byTitle = (a: CheckResult, b: CheckResult): number =>
  a.title < b.title ? -1 : Number(a.title > b.title)

const judgedBy = (
  requirement: Requirement,
  { results, judging }: { readonly results: ReadonlyArray<CheckResult>; readonly judging: Judging }
): Judged => {
  const { id, tier, level } = requirement
  const proofs = [id, requirement.sameAs].flatMap((one) => judging.proofs.get(one ?? "") ?? [])
  if (results.length > 0 && proofs.length > 0) {
    const lenient = level !== "must" && !judging.strict
    const found = merged(results, lenient)
    const lost = lostOf(proofs, results)
    if (lost !== null && !isFinal(found.status)) return { status: "not-run", reason: lost }
    const exempt =
      found.status === "unsupported" ? exemptionOf(requirement, judging.declared) : null
    if (exempt !== null) return { status: "documented", reason: exempt }
    const lacking = lackingOf(id, { results, declared: judging.declared })
    return withBaseline(lacking ?? found, known(judging.baseline, id))
  }
  if (proofs.length > 0) {
    return { status: "not-run", reason: "the run ended before its checks did" }
  }
  const reason = judging.documented(id)
  if (tier === "D" || reason !== null) return { status: "documented", reason }
  return unchecked(requirement, judging.declared)
}

/** A report that was cut, or a run that ended early, has not all of the checks; null = it has. */
const lostOf = (
  proofs: ReadonlyArray<string>,
  results: ReadonlyArray<CheckResult>
): string | null => {
  const told = new Set(results.map(({ title }) => title))
  const lost = proofs.find((title) => !told.has(title))
  return lost === undefined ? null : `the run ended before "${lost}" did`
}

/** Whether no further check can make it better. */
const isFinal = (status: Status): boolean => status === "fail" || status === "error"

/** Why nothing of it is asked of this implementation; null = something is, or another feature is missing, too. */
const exemptionOf = ({ features }: Requirement, declared: Declared): string | null => {
  const reasons = undeclared(needsOf({ features, hooks: [] }), declared).map(
    (name) => exemptions[name] ?? null
  )
  return reasons.includes(null) ? null : (reasons[0] ?? null)
}

/** Nothing asks it, so hooks make no difference: an implementation that declares its features is not told that it holds. */
const unchecked = ({ features }: Requirement, declared: Declared): Judged => {
  const missing = undeclared(needsOf({ features, hooks: [] }), declared)
  if (missing.length > 0) {
    return { status: "unsupported", reason: `${noCheck}; not declared: ${missing.join(", ")}` }
  }
  if (features.length === 0) return { status: "unsupported", reason: noCheck }
  return { status: "untestable", reason: `${noCheck}, though declared: ${features.join(", ")}` }
}

const noCheck = "no check yet"

/** Its checks held, but not all that its statement names was seen at work; null = all was. */
const lackingOf = (
  id: string,
  { results, declared }: Pick<Judging, "results" | "declared">
): Merged | null => {
  if (results.some(({ status }) => status !== "pass" && status !== "deviates")) return null
  const seen = new Set(results.flatMap(({ witnessed = [] }) => witnessed))
  const missing = capabilitiesOf(id).filter((capability) => !seen.has(capability))
  if (missing.length === 0) return null
  const has = new Set(declared.config.features)
  const claimed = missing.filter((capability) => {
    const feature = featureOf(capability)
    return feature === null || has.has(feature)
  })
  if (claimed.length > 0) {
    return { status: "untestable", reason: `not seen at work: ${claimed.join(", ")}` }
  }
  const features = new Set(missing.flatMap((capability) => featureOf(capability) ?? []))
  const parts = `not asked: ${missing.join(", ")}; not declared: ${[...features].join(", ")}`
  return { status: "unsupported", reason: parts }
}

interface Merged {
  readonly status: Status
  readonly reason: string | null
}

const merged = (results: ReadonlyArray<CheckResult>, lenient: boolean): Merged =>
  results
    .map((result): Merged => {
      const status = result.status === "fail" && lenient ? "deviates" : result.status
      return { status, reason: reasonOf(result) }
    })
    .reduce((worst, one) => (worse(worst.status, one.status) === worst.status ? worst : one))

const reasonOf = ({ reason, expected, actual, deviations }: CheckResult): string | null => {
  if (deviations.length > 0) return deviations.join("; ")
  return expected === null ? reason : `${reason}: expected ${expected}, got ${actual}`
}

/** Only a failure can be expected: what could not be asked, or broke the suite, is not known. */
const withBaseline = (found: Merged, entry: ReturnType<typeof known>): Judged => {
  if (entry === null) return found
  switch (found.status) {
    case "fail":
      return { status: entry.as, reason: `${entry.reason} (${found.reason})` }
    case "pass":
    case "deviates":
      return entry.as === "flaky"
        ? found
        : { status: "stale", reason: `it holds, and is expected to fail: ${entry.reason}` }
    case "documented":
    case "unsupported":
    case "flaky":
    case "expected-fail":
    case "untestable":
    case "stale":
    case "error":
      return found
  }
}

const notScored = ({ status, reason }: Judged): Judged => ({
  status: "not-scored",
  reason: reason === null ? status : `${status}: ${reason}`
})

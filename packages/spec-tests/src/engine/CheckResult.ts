import { Schema } from "effect"

/** The statuses of a check, the mildest first. */
export const statuses = [
  "pass",
  "documented",
  "unsupported",
  "deviates",
  "flaky",
  "expected-fail",
  "untestable",
  "fail",
  "stale",
  "error"
] as const
export const Status = Schema.Literals(statuses)
export type Status = typeof Status.Type

/** The result of one check, as a line of the report. */
export const CheckResult = Schema.Struct({
  ids: Schema.Array(Schema.String),
  title: Schema.String,
  status: Status,
  /** Why it is not green; for `unsupported`, what is missing. */
  reason: Schema.NullOr(Schema.String),
  expected: Schema.NullOr(Schema.String),
  actual: Schema.NullOr(Schema.String),
  /** Decisions that the implementation made otherwise. */
  deviations: Schema.Array(Schema.String),
  /** Features of the implementation that it saw at work; in reports of older suites the key is absent. */
  witnessed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Of a check that is not green. Secrets are masked. */
  trace: Schema.Array(Schema.String),
  /** The last exchange of a check that is not green, as a command; null = there was none. */
  curl: Schema.NullOr(Schema.String),
  seed: Schema.Int,
  /** The value for `--replay` that repeats the failure of a model; null = the seed alone repeats it. */
  replay: Schema.NullOr(Schema.String),
  tookMs: Schema.Int
})
export type CheckResult = typeof CheckResult.Type

const severity = new Map(statuses.map((status, at) => [status, at]))

/** The most severe of both. */
export const worse = (one: Status, other: Status): Status =>
  (severity.get(one) ?? 0) >= (severity.get(other) ?? 0) ? one : other

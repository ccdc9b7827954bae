/** What became of one check, or of one requirement. */
export type Status =
  | "pass"
  | "deviates"
  | "documented"
  | "unsupported"
  | "expected-fail"
  | "flaky"
  | "stale"
  | "untestable"
  | "fail"
  | "error"

export interface CheckResult {
  readonly ids: ReadonlyArray<string>
  readonly title: string
  readonly status: Status
  /** Why it is not green; for `unsupported`, what is missing. */
  readonly reason: string | null
  readonly expected: string | null
  readonly actual: string | null
  /** Decisions that the implementation made otherwise. */
  readonly deviations: ReadonlyArray<string>
  /** Of a check that is not green. Secrets are masked. */
  readonly trace: ReadonlyArray<string>
  readonly seed: number
  /** What `--replay` takes to repeat the failure of a model; null = the seed is all. */
  readonly replay: string | null
  readonly tookMs: number
}

import type { VerdictStatus } from "./Verdict.ts"

export interface Ended {
  readonly statuses: ReadonlyArray<VerdictStatus>
  /** In a run of our own profile a deviation fails. */
  readonly ours: boolean
  /** `interrupted` by a signal; `crashed` = the report has no end. */
  readonly end: "done" | "interrupted" | "crashed"
}

/** 0 green, 1 an implementation that does not conform, 2 the suite broke, 130 interrupted. */
export const exitCode = ({ statuses, ours, end }: Ended): 0 | 1 | 2 | 130 => {
  if (end === "interrupted") return 130
  if (end === "crashed" || statuses.includes("error")) return 2
  return statuses.some((status) => isRed(status, ours)) ? 1 : 0
}

/** Whether a verdict fails a run. */
export const isRed = (status: VerdictStatus, ours: boolean): boolean => {
  switch (status) {
    case "fail":
    case "untestable":
    case "stale":
    case "error":
    case "not-run":
      return true
    case "deviates":
      return ours
    case "pass":
    case "documented":
    case "unsupported":
    case "flaky":
    case "expected-fail":
    case "not-scored":
      return false
  }
}

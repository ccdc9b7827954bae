import type { CheckResult } from "../CheckResult.ts"

/** The result of a check that passed and had nothing to tell. */
export const passedResult: CheckResult = {
  ids: [],
  title: "t",
  status: "pass",
  reason: null,
  expected: null,
  actual: null,
  deviations: [],
  trace: [],
  curl: null,
  seed: 1,
  replay: null,
  tookMs: 0
}

import { expect, test } from "vitest"

import { exitCode } from "./ExitCode.ts"
import type { VerdictStatus } from "./Verdict.ts"

const codes: ReadonlyArray<readonly [VerdictStatus, 0 | 1 | 2]> = [
  ["pass", 0],
  ["documented", 0],
  ["unsupported", 0],
  ["deviates", 0],
  ["expected-fail", 0],
  ["flaky", 0],
  ["not-scored", 0],
  ["fail", 1],
  ["untestable", 1],
  ["stale", 1],
  ["not-run", 1],
  ["error", 2]
]

test.each(codes)("[conformance.exit] among passes %s is %d", (status, code) => {
  const statuses = ["pass", status, "pass"] as const
  expect(exitCode({ statuses, ours: false, end: "done" })).toBe(code)
})

test("[conformance.exit] a deviation fails our own profile", () => {
  expect(exitCode({ statuses: ["deviates"], ours: true, end: "done" })).toBe(1)
  expect(exitCode({ statuses: ["flaky", "expected-fail"], ours: true, end: "done" })).toBe(0)
})

test("[conformance.exit] a broken suite is worse than a failure, an interruption tells itself", () => {
  expect(exitCode({ statuses: ["fail", "error"], ours: false, end: "done" })).toBe(2)
  expect(exitCode({ statuses: ["pass"], ours: false, end: "interrupted" })).toBe(130)
  expect(exitCode({ statuses: ["error"], ours: true, end: "interrupted" })).toBe(130)
  expect(exitCode({ statuses: ["pass"], ours: false, end: "crashed" })).toBe(2)
})

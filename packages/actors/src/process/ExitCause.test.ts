import { describe, expect, test } from "vitest"

import { causeOf, type ExitCause, exitOf } from "./ExitCause.ts"

describe("why a process ended", () => {
  test.each<[number | null, string | null, string, string]>([
    [
      null,
      "SIGABRT",
      "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
      "memory"
    ],
    [null, "SIGTRAP", "# Fatal JavaScript out of memory: Ineffective mark-compacts", "memory"],
    [null, "SIGABRT", "terminate called after throwing an instance of 'std::bad_alloc'", "memory"],
    [null, "SIGABRT", "FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal", "crashed"],
    [7, null, "room.bundle.js:9\nRangeError: Maximum call stack size exceeded", "crashed"],
    [null, "SIGSEGV", "", "crashed"],
    [70, null, "", "crashed"],
    [0, null, "", "crashed"],
    [null, "SIGKILL", "", "killed"]
  ])("[D-14] code %s, signal %s, %s: %s", (...[code, signal, errorTail, cause]) => {
    expect(causeOf({ code, signal, errorTail }).cause).toBe(cause)
  })

  test.each([
    ["at x\nTypeError [ERR_X]: no", "exit code 7: TypeError [ERR_X]: no"],
    ["x\nError: no\n    at y", "exit code 7: Error: no"],
    ["x\n# Fatal error in , line 0\n", "exit code 7: # Fatal error in , line 0"],
    ["no Error: x", "exit code 7"],
    ["Errors: x", "exit code 7"]
  ])("[D-14] the detail of %j is %j", (errorTail, detail) => {
    expect(causeOf({ code: 7, signal: null, errorTail }).detail).toBe(detail)
  })

  test("[C-973] a room that gave no answer does not answer for the process that it shared", () => {
    const end = { code: null, signal: "SIGKILL", errorTail: "" }
    const neighbour = { cause: "neighbour", detail: "of others" } as const
    const shared = { ...end, exit: neighbour }
    const known = (cause: ExitCause) => ({ cause, detail: "" })
    expect(exitOf(null, shared)).toEqual(neighbour)
    expect(exitOf(known("hung"), shared)).toEqual(neighbour)
    expect(exitOf(known("hung"), { ...end, exit: known("hung") }).cause).toBe("hung")
    for (const cause of ["stopped", "flood"] as const) {
      expect(exitOf(known(cause), shared).cause).toBe(cause)
    }
  })

  test("[C-180] an exit without a process is notStarted, beside any other finding", () => {
    const notStarted = "spawn /bin/sh EMFILE"
    expect(causeOf({ code: null, signal: null, errorTail: "out of memory", notStarted })).toEqual({
      cause: "notStarted",
      detail: notStarted
    })
  })
})

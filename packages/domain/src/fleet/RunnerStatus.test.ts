import { expect, test } from "vitest"

import { FleetLimits } from "./FleetLimits.ts"
import { runnerIntake, runnerStatus } from "./RunnerStatus.ts"

const quietMs = FleetLimits.runnerSilent.ms - 1

test.each([
  [{ setting: "open", rooms: 3, silentMs: 0 }, "open"],
  [{ setting: "open", rooms: 0, silentMs: quietMs }, "open"],
  [{ setting: "cordoned", rooms: 0, silentMs: 0 }, "cordoned"],
  [{ setting: "draining", rooms: 1, silentMs: quietMs }, "draining"],
  [{ setting: "draining", rooms: 0, silentMs: 0 }, "drained"],
  [{ setting: "open", rooms: 3, silentMs: quietMs + 1 }, "gone"],
  [{ setting: "draining", rooms: 0, silentMs: quietMs + 1 }, "gone"]
] as const)("[C-432] a runner that is %o shows as %s", (runner, status) => {
  expect(runnerStatus(runner)).toBe(status)
})

test.each([
  ["open", false, "open"],
  ["cordoned", true, "elsewhere"],
  ["draining", true, "elsewhere"],
  ["cordoned", false, "closed"],
  ["draining", false, "closed"]
] as const)(
  "[C-431] a runner set %s, others open: %s, takes rooms: %s",
  (setting, others, taken) => {
    expect(runnerIntake({ setting, others })).toBe(taken)
  }
)

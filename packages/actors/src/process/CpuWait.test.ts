import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"

import { until } from "@atrium/domain/testing/Until"
import { expect, test } from "vitest"

import { cpuWaitMsOf } from "./CpuWait.ts"

// A kernel may be built without it.
test.runIf(existsSync("/proc/self/schedstat"))(
  "[C-41] where more processes run than there are CPUs, one has waited; one that is gone tells nothing",
  async () => {
    const loops = Array.from({ length: availableParallelism() + 1 }, () =>
      spawn("nice", ["sh", "-c", "while :; do :; done"], { stdio: "ignore" })
    )
    try {
      await until("a wait", () => loops.some(({ pid = 0 }) => (cpuWaitMsOf(pid) ?? 0) > 50))
    } finally {
      for (const loop of loops) loop.kill("SIGKILL")
    }
    expect(cpuWaitMsOf(0)).toBeNull()
  }
)

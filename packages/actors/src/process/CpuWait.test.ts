import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"

import { expect, test } from "vitest"

import { cpuWaitMsOf } from "./CpuWait.ts"

test("[C-41] a process that shares its CPUs with more than there are has waited; one that is gone tells nothing", async () => {
  const loops = Array.from({ length: availableParallelism() + 1 }, () =>
    spawn("nice", ["sh", "-c", "while :; do :; done"], { stdio: "ignore" })
  )
  try {
    const waited = () => loops.map(({ pid = 0 }) => cpuWaitMsOf(pid) ?? Number.NaN)
    await expect.poll(() => Math.max(...waited()), { timeout: 10_000 }).toBeGreaterThan(50)
  } finally {
    for (const loop of loops) loop.kill("SIGKILL")
  }
  expect(cpuWaitMsOf(0)).toBeNull()
})

import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

import { descendantsOf, stillRunning } from "@atrium/api/testing/ProcessTree"
import { until } from "@atrium/domain/testing/Until"
import { expect, test } from "vitest"

/** A start of the service with its database takes seconds where many things run at once. */
const withinMs = 60_000

const entry = fileURLToPath(new URL("./main.ts", import.meta.url))

const start = (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [entry, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk) => (said.out += String(chunk)))
  child.stderr.on("data", (chunk) => (said.err += String(chunk)))
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  return { child, said, ended }
}

test(
  "[performance.W1] the bench measures the service and the reference, and gives its verdict",
  async () => {
    const { said, ended } = start(["--quick", "--only", "W1", "--json"])
    expect(await ended, said.err).toBe(0)
    const { verdict, workloads } = JSON.parse(said.out)
    expect(verdict).toMatch(/^valid; \d+ of \d+ goals reached$/)
    expect(workloads).toHaveLength(1)
    const [{ workload, faults, figures }] = workloads
    expect([workload, faults]).toEqual(["W1", []])
    for (const { name, value, raw } of figures) {
      // The reference has no limits, and nobody looks at its event loop.
      const hasReference = !/^limits|^event loop/.test(name)
      const isThere = value > 0 || (value === 0 && name.startsWith("event loop: turns over"))
      expect([name, isThere, (raw ?? 0) > 0]).toEqual([name, true, hasReference])
    }
  },
  withinMs
)

test(
  "[performance.W7] each part of players' data is measured beside plain PostgreSQL",
  async () => {
    const { said, ended } = start(["--quick", "--only", "W7", "--json"])
    expect(await ended, said.err).toBe(0)
    const [{ faults, figures }] = JSON.parse(said.out).workloads
    expect(faults).toEqual([])
    const ofPlayers = figures.filter(({ name }: { name: string }) => !name.startsWith("event loop"))
    expect(ofPlayers.length).toBeGreaterThanOrEqual(6)
    for (const { name, value, raw } of ofPlayers)
      expect([name, value > 0, raw > 0]).toEqual([name, true, true])
  },
  withinMs
)

test("[performance.W8] rooms that record themselves are measured beside the same that do not", async () => {
  const { said, ended } = start(["--quick", "--only", "W8", "--json"])
  expect(await ended, said.err).toBe(0)
  const [{ faults, figures }] = JSON.parse(said.out).workloads
  expect(faults).toEqual([])
  const ofReplay = figures.filter(({ name }: { name: string }) => !name.startsWith("event loop"))
  expect(ofReplay).toHaveLength(3)
  for (const { name, value, raw } of ofReplay)
    expect([name, value > 0, raw > 0]).toEqual([name, true, true])
})

test(
  "[performance] a signal in the middle ends everything that the bench has started",
  async () => {
    const { child, said, ended } = start(["--quick", "--only", "W1"])
    await until("the rooms are joined", () => said.err.includes("round 1"), withinMs)
    const pids = descendantsOf(child.pid ?? 0)
    expect(pids.length).toBeGreaterThan(3)
    child.kill("SIGINT")
    expect(await ended).toBe(130)
    expect(said.out).toBe("")
    await until("all processes are gone", () => stillRunning(pids).length === 0)
  },
  withinMs
)

test("[performance] a wrong argument is named on standard error and starts nothing", async () => {
  const { said, ended } = start(["--only", "W9"])
  expect(await ended).toBe(2)
  expect(said).toEqual({
    out: "",
    err:
      'Invalid value for flag --only: "W9". Expected some of W1,W2,W3,W4,W5,W6,W7\n' +
      "More: npm run bench -- --help\n"
  })
})

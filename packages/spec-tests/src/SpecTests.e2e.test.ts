import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"

import { wholeSuite } from "./engine/Suite.ts"
import { type FakeImplementation, startFake } from "./engine/testing/FakeImplementation.ts"
import { readReport } from "./report/Report.ts"

const main = join(import.meta.dirname, "main.ts")
const folder = mkdtempSync(join(tmpdir(), "spec-tests-"))
const running = new Set<ChildProcess>()

/** Keys are never minted: the request hangs. */
let fake: FakeImplementation
beforeAll(async () => {
  fake = await startFake((request, response) => {
    if (request.method !== "POST") response.end("{}")
  })
})
afterEach(() => {
  for (const child of running) child.kill("SIGKILL")
  running.clear()
})
afterAll(async () => {
  await fake.close()
  rmSync(folder, { recursive: true })
})

const environment = {
  CONFORMANCE_ACCOUNT_0: "zero-credential-x",
  CONFORMANCE_ACCOUNT_1: "one-credential-x"
}

const start = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = environment
) => {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const ended = once(child, "close").then(([code]: Array<unknown>) => ({ code, out, err }))
  return { child, ended }
}

const hanging = "keys.secret.form"

describe("spec-tests run", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "[conformance.interrupt] %s ends it with what ran so far, and 130",
    async (signal) => {
      const out = join(folder, signal)
      const before = fake.requests.length
      const { child, ended } = start([
        "run",
        "--base-url",
        fake.baseUrl,
        "--only",
        hanging,
        "--out",
        out
      ])
      const asksForKey = () => fake.requests.slice(before).some((line) => line.endsWith("/keys"))
      await expect.poll(asksForKey).toBe(true)
      child.kill(signal)
      const { code, out: text } = await ended
      expect(code).toBe(130)
      expect(text).toContain("the run was interrupted")
      expect(text).toContain("1 requirements: 0 pass")
      const { footer, verdicts } = readReport(join(out, "conformance.jsonl"), wholeSuite)
      expect(footer?.end).toBe("interrupted")
      expect(verdicts).toMatchObject([{ id: hanging, status: "not-run" }])
      for (const name of ["junit.xml", "conformance.md"]) {
        expect(existsSync(join(out, name))).toBe(true)
      }
    }
  )

  it("[conformance.exit] a service that is not there is untestable, 1; standard error has the progress", async () => {
    const { code, out, err } = await start([
      "run",
      "--base-url",
      "http://127.0.0.1:1",
      "--only",
      hanging
    ]).ended
    expect(code).toBe(1)
    expect(out).toContain(`untestable ${hanging} (specification line 66)`)
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^1 requirements: 0 pass .* 1 untestable/)
    expect(err).toMatch(/^smoke: 0 s$/m)
    for (const hidden of ["\u001b", "credential-x"]) expect(`${out}${err}`).not.toContain(hidden)
  })
})

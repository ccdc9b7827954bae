import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { isRed } from "@atrium/spec-tests/engine/ExitCode"
import { wholeSuite } from "@atrium/spec-tests/engine/Suite"
import { type Report, readReport } from "@atrium/spec-tests/report/Report"
import { afterAll, beforeAll, expect, test } from "vitest"

import { type OwnService, startOwnService } from "./conformance/OwnService.ts"

// The whole suite against our own service, once: what `npm run conformance` does.

const root = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "conformance-"))
/** Beside the units it has taken 750 seconds here, and other machines are slower. */
const runMs = 1_200_000

let service: OwnService | null = null
let child: ChildProcess | null = null
let output = ""
let report: Report

beforeAll(async () => {
  // On its own PostgreSQL, as a developer has it: with a given one there is no project `dev`.
  service = await startOwnService()
  const suite = join(root, "packages/spec-tests/src/main.ts")
  const reports = ["--report", "terminal,json,md", "--out", folder]
  child = spawn(
    process.execPath,
    // Other tests may still be ending: what must be quick is measured elsewhere.
    [suite, "run", "--config", service.config, "--profile", "ours", "--patience", "3", ...reports],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  await once(child, "close")
  report = readReport(join(folder, "conformance.jsonl"), wholeSuite)
}, runMs)

afterAll(async () => {
  child?.kill("SIGKILL")
  await service?.stop()
  rmSync(folder, { recursive: true })
})

test("[conformance.own] nothing fails, breaks, lacks what it declares or is not run", () => {
  const red = report.verdicts.filter(({ status }) => isRed(status, true))
  const told = red.map(({ id, status, reason }) => `${status} ${id}: ${reason}`)
  expect(told, output + logOf(output)).toEqual([])
  expect(report.smoke.filter(({ ok }) => !ok)).toEqual([])
  expect(report.footer?.end).toBe("done")
})

/** The service's log of the projects that the printed transcripts of red checks name. */
const logOf = (printed: string): string => {
  const projects = new Set(printed.match(/\bp_[0-9a-f]{16}\b/g))
  const lines = service?.output().split("\n") ?? []
  const about = lines.filter((line) => [...projects].some((project) => line.includes(project)))
  // A log collector may take a line that begins with a timestamp for one of its own.
  const told = about.map((line) => line.replace(/^timestamp=(\S+) level=(\S+)/, "| $2 at $1"))
  return `\n\nThe service's log of it:\n${told.join("\n")}`
}

test("[conformance.own] every requirement has a verdict, and most of what is built is proved", () => {
  expect(report.verdicts.map(({ id }) => id)).toEqual(wholeSuite.requirements.map(({ id }) => id))
  expect(report.results.length).toBeGreaterThanOrEqual(wholeSuite.checks.length)
})

test("[conformance.own] conformance.md tells what this run found", () => {
  const path = join(root, "conformance.md")
  const committed = existsSync(path) ? readFileSync(path, "utf8") : ""
  const found = readFileSync(join(folder, "conformance.md"), "utf8")
  expect(found, "conformance.md is out of date: `npm run conformance` writes it").toBe(committed)
})

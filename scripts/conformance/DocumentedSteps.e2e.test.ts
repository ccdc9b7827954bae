import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

import { type TestDatabase, makeTestDatabase } from "../makeTestDatabase.ts"
import { type OwnService, startOwnService } from "./OwnService.ts"

// The steps of docs/conformance.md, as they stand there, on a service that runs.

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/conformance.md"), "utf8")
const folder = mkdtempSync(join(tmpdir(), "documented-steps-"))
const stepMs = 300_000

const blocks = (language: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\n([^]*?)^ *\`\`\``, "gm"))].map(
    ([, text = ""]) => text
  )

const [configText = "{}", knownText = "{}"] = blocks("json")
const steps = (blocks("sh")[0] ?? "")
  .trim()
  .split("\n")
  .map((line) => {
    const [, command = "", code = ""] = /^\s*(.*?)\s+# (\d):/.exec(line) ?? []
    return [command, Number(code)] as const
  })

let service: OwnService | null = null
let database: TestDatabase | null = null

beforeAll(async () => {
  database = await makeTestDatabase()
  service = await startOwnService({ databaseUrl: database.url })
  const { baseUrl, accounts } = Object(JSON.parse(readFileSync(service.config, "utf8")))
  // Where it is and who asks are the reader's own; all else is as the page says.
  const config = { ...Object(JSON.parse(configText)), baseUrl, accounts }
  writeFileSync(join(folder, "conformance.config.json"), JSON.stringify(config))
  writeFileSync(join(folder, "known.json"), knownText)
}, stepMs)

afterAll(async () => {
  await service?.stop()
  await database?.drop()
  rmSync(folder, { recursive: true })
})

test("[conformance.docs] the page has steps, each a command with its exit code", () => {
  expect(steps.length).toBeGreaterThanOrEqual(8)
  expect(steps.filter(([command]) => !command.startsWith("spec-tests "))).toEqual([])
  expect(steps.map(([command]) => command)).toContain("spec-tests run --tier A --out all")
})

test.each(steps)("[conformance.docs] %s ends with %i", { timeout: stepMs }, async (line, code) => {
  const child = spawn("sh", ["-c", line], {
    cwd: folder,
    env: {
      // Where npm links the command of the package, and its node.
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  const [ended] = await once(child, "close")
  expect(ended, output).toBe(code)
})

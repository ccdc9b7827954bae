import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { keptPort } from "@atrium/api/testing/KeptPorts"
import { wholeSuite } from "@atrium/spec-tests/engine/Suite"
import { readReport } from "@atrium/spec-tests/report/Report"
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest"

import { makeTestDatabase } from "../makeTestDatabase.ts"
import { startOwnService, type OwnService } from "./OwnService.ts"
import { type SecureProxy, startSecureProxy } from "./SecureProxy.ts"

// A service behind Caddy with TLS on port 443 of this machine, as its players reach it. Source: C-475.

const root = join(import.meta.dirname, "../..")
const id = "limits.room.traffic-443"

const folder = mkdtempSync(join(tmpdir(), "public-router-"))
let database: Awaited<ReturnType<typeof makeTestDatabase>> | null = null
let service: OwnService
let proxy: SecureProxy | string = "not started"
let otherPort = 0

beforeAll(async () => {
  database = await makeTestDatabase()
  service = await startOwnService({ databaseUrl: database.url })
  otherPort = await keptPort()
  const { baseUrl } = configured()
  proxy = await startSecureProxy(String(baseUrl), otherPort)
  if (typeof proxy === "string") console.warn(`skipped: ${proxy}`)
})

afterAll(async () => {
  if (typeof proxy !== "string") await proxy.stop()
  await service?.stop()
  await database?.drop()
  rmSync(folder, { recursive: true })
})

const configured = (): Readonly<Record<string, unknown>> =>
  Object(JSON.parse(readFileSync(service.config, "utf8")))

interface Found {
  readonly status: string
  readonly reason: string | null
  readonly output: string
}

/** The verdict on the row, of an implementation at this address that says whether it has a public router. */
const verdictAt = async (address: string | null, publicRouter: boolean): Promise<Found> => {
  const { features, ...config } = configured()
  const file = join(folder, "conformance.config.json")
  const declared = [...Array.from(Object(features)), ...(publicRouter ? ["publicRouter"] : [])]
  const at = address === null ? {} : { baseUrl: address }
  writeFileSync(file, JSON.stringify({ ...config, ...at, features: declared }))
  const suite = join(root, "packages/spec-tests/src/main.ts")
  const reports = ["--report", "terminal,json", "--out", folder]
  const child = spawn(
    process.execPath,
    [suite, "run", "--config", file, "--profile", "ours", "--only", id, ...reports],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: proxyOf().authority }
    }
  )
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  await once(child, "close")
  const { verdicts } = readReport(join(folder, "conformance.jsonl"), wholeSuite)
  const verdict = verdicts.find((one) => one.id === id)
  return { status: verdict?.status ?? "none", reason: verdict?.reason ?? null, output }
}

const proxyOf = (): SecureProxy => {
  if (typeof proxy === "string") throw new Error(proxy)
  return proxy
}

/** Nothing can be asked without Caddy, or on a machine whose port 443 is taken. */
const needsProxy = ({ skip }: TestContext): void => {
  if (typeof proxy === "string") skip(proxy)
}

test("[C-475] behind Caddy on port 443 a service that declares its public router passes", async (context) => {
  needsProxy(context)
  const { status, output } = await verdictAt("https://localhost", true)
  expect(status, output).toBe("pass")
})

test("[C-475] the row fails without TLS, and on another port", async (context) => {
  needsProxy(context)
  const plain = await verdictAt(null, true)
  expect(plain.status, plain.output).toBe("fail")
  expect(plain.reason).toMatch(/^the protocol of ws:\S+: expected wss:, got ws:$/)
  const elsewhere = await verdictAt(`https://localhost:${otherPort}`, true)
  expect(elsewhere.status, elsewhere.output).toBe("fail")
  expect(elsewhere.reason).toContain(`expected 443, got ${otherPort}`)
})

test("[C-475] without the public router the verdict is that of conformance.md", async (context) => {
  needsProxy(context)
  const { status, reason, output } = await verdictAt("https://localhost", false)
  expect(status, output).toBe("documented")
  const row = readFileSync(join(root, "conformance.md"), "utf8")
    .split("\n")
    .find((line) => line.includes(`\`${id}\``))
  // The file sets a reason without its full stop.
  expect(row).toContain(`| ${status} | A | ${reason?.replace(/\.$/, "")}; `)
})

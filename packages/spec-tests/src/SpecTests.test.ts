import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, describe, expect, it } from "vitest"

import { features } from "./engine/Features.ts"
import { allTiers } from "./engine/Selection.ts"
import { wholeSuite } from "./engine/Suite.ts"
import { passedResult } from "./engine/testing/PassedResult.ts"
import { header } from "./report/ReportLine.ts"
import { runSpecTests } from "./SpecTests.ts"

const folder = mkdtempSync(join(tmpdir(), "spec-tests-"))
afterAll(() => rmSync(folder, { recursive: true }))

const ran = (...argv: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const code = yield* runSpecTests(argv)
    const out = (yield* TestConsole.logLines).join("\n")
    return { code, out, err: (yield* TestConsole.errorLines).join("\n") }
  }).pipe(Effect.provide([TestConsole.layer, NodeServices.layer]), Effect.runPromise)

const known = "keys.secret.form"

describe("wrong use", () => {
  const misuses: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
    ["an id that is none", ["run", "--base-url", "http://a", "--only", "kyes.*"], /kyes/],
    ["two opposites", ["run", "--base-url", "http://a", "--strict", "--lenient"], /opposites/],
    ["no address", ["run"], /baseUrl/],
    ["a set that is none", ["run", "--base-url", "http://a", "--set", "1999-01"], /--set/],
    ["a tier that is none", ["run", "--base-url", "http://a", "--tier", "A,E"], /A,B,C,D/],
    ["a report that is none", ["run", "--base-url", "http://a", "--report", "pdf"], /report/],
    ["a file that is none", ["run", "--config", "nowhere.json"], /nowhere\.json/],
    ["a requirement that is none", ["explain", "nothing"], /nothing/],
    [
      "a report that is no report",
      ["diff", import.meta.filename, import.meta.filename],
      /SpecTests\.test\.ts/
    ],
    ["no command", ["walk"], /walk/]
  ]
  it.each(misuses)("[conformance.exit] %s is wrong use, 2", async (_, args, message) => {
    const { code, out, err } = await ran(...args)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(err).not.toContain("at fault")
  })

  it("[conformance.baseline] a baseline about nothing is wrong use, too", async () => {
    const path = join(folder, "baseline.json")
    writeFileSync(path, JSON.stringify({ expectedFail: [{ id: "gone.id", reason: "x" }] }))
    const { code, err } = await ran("run", "--base-url", "http://a", "--baseline", path)
    expect(code).toBe(2)
    expect(err).toContain("gone.id")
  })
})

describe("a command that starts no run", () => {
  it("[conformance.list] lists exactly the selected requirements, with line and statement", async () => {
    const { code, out } = await ran("list", "--only", "keys.secret")
    expect(code).toBe(0)
    const rows = out.trim().split("\n")
    expect(rows.map((row) => row.split(/\s+/)[4])).toEqual(
      wholeSuite.requirements.map(({ id }) => id).filter((id) => id.startsWith("keys.secret."))
    )
    expect(rows[0]).toMatch(/^[x-] A must +66 {2}keys\.secret\.form {2}secret = /)
  })

  it("[conformance.explain] says where a requirement is from and how it is asked", async () => {
    const { code, out } = await ran("explain", known)
    expect(code).toBe(0)
    expect(out).toMatch(/^keys\.secret\.form\n/)
    expect(out).toMatch(/line 66 of the specification/)
    expect(out).toContain(`spec-tests run --only '${known}'`)
  })

  it("[conformance.features] lists and explains every name that a configuration takes", async () => {
    const { out } = await ran("list", "--features")
    const named = out.split("\n").map((line) => line.split(/ {2,}/))
    expect(Object.fromEntries(named)).toEqual(features)
    for (const name of Object.keys(features)) {
      const { code, out: text } = await ran("explain", name)
      expect([code, text.split("\n")[1]]).toEqual([0, `  what it is  ${features[name]}`])
    }
    expect((await ran("explain", "relay")).out).toMatch(/taken by +\d\d requirements[^]*x relay\./)
  })

  it("[conformance.diff] ends with 1 when a verdict is worse, and with 0 when none is", async () => {
    const pass = written("pass", [verdict("pass")])
    const fail = written("fail", [verdict("fail")])
    expect(await ran("diff", pass, fail)).toEqual({
      code: 1,
      out: `worse   ${known}: pass -> fail`,
      err: ""
    })
    expect(await ran("diff", fail, pass)).toMatchObject({
      code: 0,
      out: `        ${known}: fail -> pass`
    })
    expect(await ran("diff", pass, pass)).toMatchObject({ code: 0, out: "no difference" })
  })

  it.each(["pass", "fail", "unsupported", "documented"])(
    "[conformance.diff] a row that was %s and has vanished is worse",
    async (status) => {
      const before = written("before", [verdict(status)])
      expect(await ran("diff", before, written("after", []))).toMatchObject({
        code: 1,
        out: `worse   ${known}: ${status} -> absent`
      })
      expect(
        await ran("diff", written("after", []), written("passed", [verdict("pass")]))
      ).toMatchObject({
        code: 0,
        out: `        ${known}: absent -> pass`
      })
    }
  )

  it("[conformance.cut] a report without its end makes no command green", async () => {
    const whole = written("whole", [result("pass"), verdict("pass")])
    const cut = written("cut", [result("pass"), verdict("pass")], '{"type":"foot')
    expect(await ran("diff", whole, cut)).toMatchObject({
      code: 1,
      err: `${cut} has no end: its run crashed, or it was cut`
    })
    expect((await ran("report", cut, "--report", "md", "--out", folder)).code).toBe(2)
    expect((await ran("report", whole, "--report", "md", "--out", folder)).code).toBe(0)
    expect(
      (await ran("report", written("red", [verdict("fail")]), "--report", "md", "--out", folder))
        .code
    ).toBe(1)
  })
})

const written = (name: string, lines: ReadonlyArray<object>, end = footer): string => {
  const path = join(folder, `${name}.jsonl`)
  writeFileSync(path, [top, ...lines.map((line) => JSON.stringify(line)), end].join("\n"))
  return path
}

const footer = JSON.stringify({ type: "footer", end: "done", phases: [] })
const top = JSON.stringify(
  header({
    suite: "0",
    implementation: "x",
    baseUrl: "y",
    seed: 1,
    profile: "any",
    skip: [],
    strict: true,
    only: [known],
    tiers: allTiers,
    set: null,
    baseline: {},
    features: [],
    hooks: [],
    startedAt: "2026-01-01T00:00:00.000Z"
  })
)

const result = (status: string) => ({ ...passedResult, type: "result", ids: [known], status })

const verdict = (status: string) => ({
  type: "verdict",
  id: known,
  line: 66,
  section: "s",
  statement: "t",
  status,
  level: "must",
  tier: "A",
  reason: null,
  decisions: [],
  sameAs: null,
  checks: ["t"]
})

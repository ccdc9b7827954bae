import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, describe, expect, it } from "vitest"

import { allTiers } from "./engine/Selection.ts"
import { wholeSuite } from "./engine/Suite.ts"
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

describe("what starts nothing", () => {
  it("[conformance.list] lists the selection", async () => {
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

  it("[conformance.diff] tells better from worse, also of a run that crashed", async () => {
    const [before, after] = [join(folder, "before.jsonl"), join(folder, "after.jsonl")]
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
    const result = (status: string) => ({
      type: "result",
      ids: [known],
      title: "t",
      status,
      reason: null,
      expected: null,
      actual: null,
      deviations: [],
      trace: [],
      curl: null,
      seed: 1,
      replay: null,
      tookMs: 1
    })
    writeFileSync(before, `${top}\n${JSON.stringify(result("pass"))}\n`)
    writeFileSync(after, `${top}\n${JSON.stringify(result("fail"))}\n{"type":"resu`)
    expect(await ran("diff", before, after)).toMatchObject({
      code: 1,
      out: `worse   ${known}: pass -> fail`,
      err: ""
    })
    expect(await ran("diff", after, before)).toMatchObject({
      code: 0,
      out: `        ${known}: fail -> pass`
    })
    expect(await ran("diff", before, before)).toMatchObject({ code: 0, out: "no difference" })
  })
})

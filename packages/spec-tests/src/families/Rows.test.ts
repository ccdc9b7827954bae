import { describe, expect, it } from "vitest"

import type { FileRow, Json, Keep, Shape, Text } from "../sections/Row.ts"
import { rowOf } from "../sections/Section.ts"
import { rows } from "../sections/Sections.ts"
import { dayMs, minuteMs } from "../sections/Units.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { type FileRun, fileChecks } from "./Files.ts"
import { keepChecks } from "./Keep.ts"
import { type Outcome, outcomeOf, taken } from "./Outcome.ts"
import { shapeOf } from "./Shape.ts"
import { testTrial, verdictOf } from "./TestTrial.ts"
import { textChecks } from "./Texts.ts"

const answerOf = (
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {}
): HttpAnswer => {
  const text = JSON.stringify(json)
  const request = { method: "GET", path: "/v1/x" } as const
  return { request, status, headers, bytes: Buffer.from(text), text, json, tookMs: 1 }
}
describe("outcomes", () => {
  it("[D-26] have status, code and wait of the answer", () => {
    const trial = testTrial()
    expect(outcomeOf(trial, answerOf(204, null))).toEqual(taken)
    const json = { error: { code: "E_RATE_LIMITED", message: "wait" } }
    expect(outcomeOf(trial, answerOf(429, json, { "retry-after": "3" }))).toEqual({
      taken: false,
      refused: { status: 429, code: "E_RATE_LIMITED" },
      retryAfterMs: 3000
    })
    expect(outcomeOf(trial, answerOf(302, {}))).toEqual({
      taken: false,
      refused: { status: 302 },
      retryAfterMs: null
    })
  })
})

describe("retention", () => {
  const row: Keep = {
    kind: "keep",
    ids: ["retention.state.type-window"],
    datum: "state",
    becomes: "gone",
    forMs: 10 * minuteMs,
    sweepMs: 15 * minuteMs
  }
  interface Keeper {
    readonly forMs: number
    readonly sweepMs: number
    readonly touches: boolean
  }
  const check = (keeper: Partial<Keeper>, of: Keep = row) => {
    const { forMs, sweepMs, touches } = {
      forMs: 10 * minuteMs,
      sweepMs: 15 * minuteMs,
      touches: true,
      ...keeper
    }
    const trial = testTrial()
    /** The first sweep after its time. */
    const isKept = async (thing: { atMs: number }) => {
      const sweptMs = sweepMs === 0 ? trial.nowMs() : trial.nowMs() - (trial.nowMs() % sweepMs)
      return sweptMs < thing.atMs + forMs
    }
    const put = async () => ({ atMs: trial.nowMs() })
    const touch = async (thing: { atMs: number }) => {
      if (touches) thing.atMs = trial.nowMs()
    }
    return verdictOf(keepChecks(trial, of, { put, isKept, touch }))
  }
  it("[conformance.families] is as long as the row says, and anew after a touch", async () => {
    expect(await check({})).toBeNull()
    expect(await check({ forMs: 10 * minuteMs - 1, sweepMs: 0 })).not.toBeNull()
    expect(await check({ forMs: 30 * minuteMs })).not.toBeNull()
    expect(await check({ sweepMs: 60 * minuteMs })).not.toBeNull()
    expect(await check({ touches: false, sweepMs: 1 })).toContain("anew after a touch")
    const { sweepMs: _, ...exact } = row
    expect(await check({ sweepMs: 0 }, exact)).toBeNull()
    expect(await check({ sweepMs: 0, forMs: 10 * minuteMs + 1 }, exact)).not.toBeNull()
  })
  it("[conformance.families] forever is longer than any window", async () => {
    const forever: Keep = { ...row, forMs: "forever", becomes: "stays" }
    expect(await check({ forMs: Infinity }, forever)).toBeNull()
    expect(await check({ forMs: 3650 * dayMs }, forever)).toContain("forever")
  })
})

describe("shapes", () => {
  const row: Shape = rowOf("shape", "rooms.row.exact-keys")
  const value = {
    project: "p_0123456789abcdef",
    roomId: "r",
    status: "awake",
    slot: 0,
    lastSeen: "2026-11-21T10:00:00.000Z",
    clients: 0,
    maxClients: 64,
    backfill: false,
    retention: "10m",
    retentionOverride: null,
    deletesAt: "2026-11-21T10:10:00.000Z"
  }
  it("[conformance.families] fit values with exactly the keys, types and forms of the row", () => {
    const fault = shapeOf(row)
    expect(fault(value)).toBeNull()
    expect(fault({ ...value, retention: null, deletesAt: null })).toBeNull()
    expect(fault({ ...value, slot: 1.5 })).toContain("fraction")
    expect(fault({ ...value, slot: "1" })).toContain("slot is string")
    expect(fault({ ...value, roomId: null })).toContain("roomId is null")
    expect(fault({ ...value, project: "p_0123456789abcde" })).toContain("form")
    expect(fault({ ...value, lastSeen: "2026-11-21T10:00:00Z" })).toContain("lastSeen")
    expect(fault({ ...value, more: 1 })).toContain("more")
    const { backfill: _, ...rest } = value
    expect(fault(rest)).toBe("backfill is missing")
    for (const other of [null, [], "x", [value]]) expect(fault(other)).toContain("not an object")
    const open = shapeOf(rowOf("shape", "keys.row.label"))
    expect(open({ label: "x", scopes: [], lastUsed: null, more: 1 })).toBeNull()
    const listed = { ...row, fields: { a: { type: ["string"], values: ["x"] } } } as const
    expect(shapeOf(listed)({ a: "y" })).toContain("none of x")
  })
})

describe("texts", () => {
  const row: Text = rowOf("text", "duration.grammar")
  const check = (takes: (text: string) => boolean) => {
    const no: Outcome = { taken: false, refused: { status: 400, code: "E_BAD_REQUEST" } }
    return verdictOf(
      textChecks(testTrial(), row, { attempt: async (text) => (takes(text) ? taken : no) })
    )
  }
  it("[conformance.families] are taken when they are of the form, and refused when they are not", async () => {
    expect(await check((text) => /^[1-9]\d*[mhd]$/.test(text))).toBeNull()
    expect(await check((text) => /^\d*[mhd]$/.test(text))).not.toBeNull()
    expect(await check((text) => /^[1-9]\d*[mhd]/.test(text))).not.toBeNull()
    expect(await check((text) => /^\s*[1-9]\d*[mhd]\s*$/.test(text))).not.toBeNull()
    expect(await check((text) => /^[1-9]\d*[mh]$/.test(text))).not.toBeNull()
    expect(await check((text) => /^[1-9]\d*[mhds]$/.test(text))).not.toBeNull()
  })
  it("[conformance.families] of every row are what the row says of them", async () => {
    for (const some of rows) {
      if (some.kind !== "text") continue
      const pattern = new RegExp(some.pattern, "u")
      expect(
        some.good.filter((text) => !pattern.test(text)),
        some.ids[0]
      ).toEqual([])
      expect(
        some.bad.filter((text) => pattern.test(text)),
        some.ids[0]
      ).toEqual([])
    }
  })
})

describe("project files", () => {
  const refuses = rowOf("file", "file.validate.project-type.refused")
  const ignores: FileRow = { ...refuses, verdict: "absent", names: [] }
  const warns: FileRow = { ...refuses, verdict: "warn" }
  const isText = (value: Json | undefined): boolean => typeof value === "string" && value !== ""
  const check = (row: FileRow, judge: (project: Json | undefined, command: string) => FileRun) =>
    verdictOf(fileChecks(row, { run: async (command, file) => judge(file["project"], command) }))
  const fine: FileRun = { code: 0, stderr: "" }
  const none: FileRun = { code: 2, stderr: "no id from any source" }
  const named: FileRun = { code: 2, stderr: "project must be a non-empty string" }
  it("[conformance.families] are judged as the row says, by every command of it", async () => {
    const right = (project: Json | undefined) =>
      project === undefined ? none : isText(project) ? fine : named
    expect(await check(refuses, right)).toBeNull()
    expect(await check(refuses, () => fine)).not.toBeNull()
    expect(await check(refuses, () => named)).toContain("not refused for it")
    expect(await check(refuses, (project) => (isText(project) ? fine : none))).not.toBeNull()
    expect(
      await check(refuses, (project, command) => (command === "dev" ? fine : right(project)))
    ).not.toBeNull()
    expect(
      await check(refuses, (project) => (project === "" ? fine : right(project)))
    ).not.toBeNull()
  })
  it("[conformance.families] read as absent, or warn", async () => {
    expect(await check(ignores, (project) => (isText(project) ? fine : none))).toBeNull()
    expect(
      await check(ignores, (project) =>
        project === undefined ? none : isText(project) ? fine : named
      )
    ).not.toBeNull()
    const warning: FileRun = { code: 0, stderr: "warning: project" }
    expect(await check(warns, (project) => (isText(project) ? fine : warning))).toBeNull()
    expect(await check(warns, (project) => (isText(project) ? fine : named))).not.toBeNull()
  })
})

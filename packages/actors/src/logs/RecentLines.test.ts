import { LogLimits } from "@atrium/domain/logs/LogLimits"
import type { KeptLine } from "@atrium/domain/logs/LogLine"
import { describe, expect, it } from "vitest"

import { costOf, RecentLines } from "./RecentLines.ts"

const lineOf = (lineId: number, more: Partial<KeptLine> = {}): KeptLine => ({
  lineId,
  roomId: "arena",
  level: "info",
  line: `line ${lineId}`,
  ...more
})
const all = { roomId: null, level: "debug", fromId: 0 } as const
const idsIn = (
  recent: RecentLines,
  project = "p",
  query: Partial<Parameters<RecentLines["from"]>[1]> = {}
) => recent.from(project, { ...all, ...query }).lines.map(({ lineId }) => lineId)
/** The longest line, and how many of these a project may have in memory. */
const long = "x".repeat(8192)
const most = Math.floor(LogLimits.logBufferProject.max / costOf(lineOf(0, { line: long })))

describe("RecentLines", () => {
  it("[limits.log.buffer] keeps the last 500 lines of a room, and tells that the others are gone", () => {
    const recent = new RecentLines(0)
    for (let id = 1; id <= 500; id++) recent.add("p", lineOf(id))
    recent.add("p", lineOf(501, { roomId: "hall" }))
    expect(recent.from("p", { ...all, fromId: 1 })).toMatchObject({ isWhole: true })
    recent.add("p", lineOf(502))
    expect(idsIn(recent, "p", { roomId: "arena" })).toEqual(
      Array.from({ length: 500 }, (_, at) => (at < 499 ? at + 2 : 502))
    )
    expect(recent.from("p", { ...all, fromId: 1 }).isWhole).toBe(false)
    expect(recent.from("p", { ...all, fromId: 2 }).isWhole).toBe(true)
    expect(recent.from("p", { ...all, roomId: "hall", fromId: 1 }).isWhole).toBe(true)
  })

  it("[C-332] reads a room or all, from a level and an id on, in the order of the ids", () => {
    const recent = new RecentLines(10)
    recent.add("p", lineOf(11))
    recent.add("p", lineOf(12, { roomId: "hall", level: "error" }))
    recent.add("p", lineOf(13))
    recent.add("other", lineOf(14))
    expect(idsIn(recent)).toEqual([11, 12, 13])
    expect(idsIn(recent, "p", { roomId: "hall" })).toEqual([12])
    expect(idsIn(recent, "p", { level: "warn" })).toEqual([12])
    expect(idsIn(recent, "p", { fromId: 12 })).toEqual([12, 13])
    for (const project of ["p", "nobody's"]) {
      expect(recent.from(project, { ...all, fromId: 10 }).isWhole).toBe(false)
      expect(recent.from(project, { ...all, fromId: 11 }).isWhole).toBe(true)
    }
  })

  it("[C-332] past the bound of a project, its room that was quiet longest loses lines", () => {
    const recent = new RecentLines(0)
    recent.add("p", lineOf(1, { roomId: "quiet", line: long }))
    recent.add("other", lineOf(2))
    for (let id = 3; id < most + 2; id++)
      recent.add("p", lineOf(id, { roomId: `r${id % 7}`, line: long }))
    expect(idsIn(recent, "p", { roomId: "quiet" })).toEqual([1])
    recent.add("p", lineOf(most + 2, { roomId: "loud", line: long }))
    expect(recent.from("p", { ...all, roomId: "quiet", fromId: 1 })).toEqual({
      lines: [],
      isWhole: false
    })
    expect(idsIn(recent, "other")).toEqual([2])
  })

  it("[C-402] forgets a project with what its lines count", () => {
    const recent = new RecentLines(0)
    recent.add("p", lineOf(1))
    const { bytes } = recent
    recent.add("other", lineOf(2, { line: long }))
    expect(recent.projects).toEqual(["p", "other"])
    recent.forget("other")
    recent.forget("nobody's")
    expect([recent.projects, recent.bytes]).toEqual([["p"], bytes])
    expect(idsIn(recent, "other")).toEqual([])
  })

  it("[C-332] past the bound of the runner, the project that was quiet longest loses lines", () => {
    const recent = new RecentLines(0)
    let id = 0
    recent.add("quiet", lineOf(++id))
    for (let project = 0; project < 20; project++) {
      for (let at = 0; at < most; at++) {
        recent.add(`p${project}`, lineOf(++id, { line: long, roomId: `r${at % 3}` }))
        expect(recent.bytes).toBeLessThanOrEqual(LogLimits.logBufferRunner.max)
      }
    }
    expect(recent.from("quiet", { ...all, fromId: 1 })).toEqual({ lines: [], isWhole: false })
    expect(idsIn(recent, "p19")).toHaveLength(most)
  })
})

import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { describe, expect, it } from "vitest"

import {
  emptyReport,
  failedKinds,
  isFullOfFailures,
  type RehearsalReport,
  type RoomOutcome,
  StateOutcome,
  wantsDiff,
  withRoom
} from "./RehearsalReport.ts"

const led = (ms = 2) => StateOutcome.Led({ bytesBefore: 10, bytesAfter: 12, ms })
const failed = (why: string, saveId: string | null = null) =>
  StateOutcome.Failed({ saveId, version: 1, why })
const room = (roomId: string, ...states: ReadonlyArray<StateOutcome>): RoomOutcome => ({
  roomId,
  states,
  isCounted: true,
  diff: null
})
const reportOf = (...rooms: ReadonlyArray<RoomOutcome>): RehearsalReport =>
  rooms.reduce((report, each) => withRoom(report, each, false), emptyReport)

const thrown = (name: string, line = 7): string =>
  `the migration failed: ${name} has fallen\nError: ${name} has fallen\n    at migrate (migrations/0002.ts:${line}:3)`

describe("the report of a rehearsal", () => {
  it("[C-712] counts rooms, states, bytes and times", () => {
    const report = reportOf(room("a", led(), led(4)), room("b", led(3), StateOutcome.Skipped()))
    expect(report).toEqual({
      ...emptyReport,
      rooms: 2,
      states: 3,
      skipped: 1,
      bytesBefore: 30,
      bytesAfter: 36,
      wakes: { count: 3, totalMs: 9, maxMs: 4, roomId: "a" }
    })
  })

  it("[C-712] counts the rooms of the total, and the states of others apart", () => {
    const other = { ...room("b", StateOutcome.Skipped()), isCounted: false }
    expect(reportOf(room("a", led()), other)).toMatchObject({ rooms: 1, states: 1, skipped: 1 })
  })

  it("[C-712] takes failures of one place of the code as one kind, and shows the first room", () => {
    const report = reportOf(
      room("a", led(), failed(thrown("ann"), "sv_1")),
      room("b", failed(thrown("bea"))),
      room("c", failed(thrown("cid", 9))),
      room("d", failed("it takes more than 5000 ms")),
      room("e", failed("it takes more than 6000 ms"))
    )
    expect(report.rooms).toBe(5)
    expect(
      failedKinds(report).map(({ message, first, rooms }) => [message, first.roomId, rooms])
    ).toEqual([
      ["the migration failed: ann has fallen", "a", 2],
      ["the migration failed: cid has fallen", "c", 1],
      ["it takes more than 5000 ms", "d", 2]
    ])
    expect(report.failures[0]).toEqual({ roomId: "a", saveId: "sv_1", version: 1, kind: 0 })
  })

  it("[C-711] a room that is rehearsed once more has its last outcome, and counts once", () => {
    const before = reportOf(room("a", failed(thrown("ann"))), room("b", led()))
    const mended = withRoom(before, room("a", led()), true)
    expect(mended).toMatchObject({ rooms: 2, again: 1, states: 2, failures: [] })
    expect(failedKinds(mended)).toEqual([])
    const broken = withRoom(mended, room("b", failed(thrown("bea"))), true)
    expect(failedKinds(broken)).toMatchObject([{ first: { roomId: "b" }, rooms: 1 }])
  })

  it("[C-712] counts failures past the limit of kinds together", () => {
    const { max } = MigrationLimits.rehearsalKinds
    const rooms = Array.from({ length: max + 2 }, (_, at) =>
      room(`r${at}`, failed(thrown("x", at + 1)))
    )
    expect(failedKinds(reportOf(...rooms.slice(0, max)))).toHaveLength(max)
    const kinds = failedKinds(reportOf(...rooms))
    expect(kinds).toHaveLength(max + 1)
    expect(kinds.at(-1)).toMatchObject({ message: "failures of further kinds", rooms: 2 })
  })

  it("[C-712] is full at the limit of rooms that fail", () => {
    const { max } = MigrationLimits.rehearsalFailures
    const rooms = Array.from({ length: max }, (_, at) => room(`r${at}`, failed("no")))
    expect(isFullOfFailures(reportOf(...rooms.slice(1)))).toBe(false)
    expect(isFullOfFailures(reportOf(...rooms))).toBe(true)
  })

  it("[C-712] shows the changes of some rooms, each once", () => {
    const { max } = MigrationLimits.rehearsalDiffs
    const diffOf = (roomId: string) => ({ roomId, type: "t", version: 1, lines: ["- a: 1"] })
    let report = emptyReport
    for (let at = 0; at < max; at++) {
      const roomId = `r${at}`
      expect(wantsDiff(report, roomId)).toBe(true)
      report = withRoom(report, { ...room(roomId, led()), diff: diffOf(roomId) }, false)
      expect(wantsDiff(report, roomId)).toBe(false)
    }
    expect(wantsDiff(report, "one more")).toBe(false)
    const more = withRoom(report, { ...room("x", led()), diff: diffOf("x") }, false)
    expect(more.diffs).toEqual(report.diffs)
  })
})

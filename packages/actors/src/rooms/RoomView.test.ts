import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { RoomId, ProjectId } from "@atrium/domain/shared/Ids"
import { describe, expect, test } from "vitest"

import type { ObjectEntry } from "../objects/ObjectRows.ts"
import { alarmKey, saveKey, snapshotKey } from "./RoomObjects.ts"
import type { ShownRow } from "./RoomRows.ts"
import { roomDetail, savesOf, type RoomKnown } from "./RoomView.ts"

const key = { projectId: ProjectId.make("p_0123456789abcdef"), roomId: RoomId.make("one") }
const hour = 3_600_000
const nowMs = 100 * hour

const stored = (objectKey: string, at: { storedAtMs: number; reason?: string }): ObjectEntry => ({
  key: objectKey,
  sizeBytes: 10,
  storedAtMs: at.storedAtMs,
  manifest: {
    kind: at.reason === undefined ? "snapshot" : "save",
    type: "arena",
    class: "large",
    version: 3,
    schemaHash: "0123456789abcdef",
    epoch: 4,
    reason: at.reason ?? null,
    takenAtMs: at.storedAtMs,
    stateBytes: 77
  }
})

const entries = [
  { key: alarmKey(key), sizeBytes: 5, storedAtMs: 95 * hour, manifest: { kind: "alarm" } },
  stored(saveKey(key, { version: 3, saveId: "sv_0123456789abcde1" }), {
    storedAtMs: 80 * hour,
    reason: "manual"
  }),
  stored(saveKey(key, { version: 3, saveId: "sv_0123456789abcde2" }), {
    storedAtMs: 90 * hour,
    reason: "hibernate"
  }),
  stored(snapshotKey(key, 3), { storedAtMs: 90 * hour })
]

const row: ShownRow = {
  status: "hibernated",
  type: "arena",
  class: "standard",
  retentionOverride: null,
  lastSeenMs: 90 * hour + 7,
  pruned: false,
  entered: true,
  quarantined: null
}

const known = (change: Partial<RoomKnown> = {}): RoomKnown => ({
  key,
  row,
  entries,
  nowMs,
  declared: () => ({ class: "xlarge", retention: "20h" }),
  ...change
})
const iso = (ms: number): string => new Date(ms).toISOString()
const detail = roomDetail(known())

describe("a room's detail", () => {
  test.each([
    ["rooms.detail.roomId", detail?.roomId, "one"],
    ["rooms.detail.status", detail?.status, "hibernated"],
    ["rooms.detail.type", detail?.type, "arena"],
    ["rooms.detail.class", detail?.class, "xlarge"],
    ["rooms.detail.retention", detail?.retention, "20h"],
    ["rooms.detail.retentionOverride", detail?.retentionOverride, null],
    ["rooms.detail.deletesAt", detail?.deletesAt, iso(110 * hour)],
    ["rooms.detail.saves", detail?.saves, 2],
    ["rooms.detail.stateBytes", detail?.stateBytes, 77],
    ["rooms.detail.lastSeen", detail?.lastSeen, iso(90 * hour + 7)]
  ])("[%s] is told from the row and one listing", (_, told, expected) => {
    expect(told).toBe(expected)
  })

  test("[rooms.detail.deletesAt.exact] counts from the newest snapshot, not from what was seen", () => {
    expect(detail?.deletesAt).not.toBe(iso(90 * hour + 7 + 20 * hour))
    const moment = 90 * hour
    const awake = (lastSeenMs: number) =>
      roomDetail(known({ row: { ...row, status: "awake", lastSeenMs } }))?.deletesAt
    expect(awake(nowMs - RoomLimits.reportFresh.ms + 1)).toBe(iso(nowMs + 20 * hour))
    // Its server has told nothing for too long: it is not known to be active.
    expect(awake(nowMs - RoomLimits.reportFresh.ms)).toBe(iso(moment + 20 * hour))
  })

  test("[C-992] a room in quarantine is not deleted, and its mark ends with it", () => {
    const closed = { ...row, status: "closed", quarantined: 3 } as const
    const told = roomDetail(known({ row: closed }))
    expect(told).toMatchObject({ quarantined: 3, retention: "20h", deletesAt: null })
    // A program of before leaves the mark in the row of a room that it has woken.
    expect(roomDetail(known({ row: { ...closed, status: "hibernated" } }))).toEqual(detail)
  })

  test("[rooms.class.follows-type] [rooms.detail.class.values] the class is the declaration's", () => {
    const classes = (["standard", "large", "xlarge"] as const).map(
      (roomClass) =>
        roomDetail(known({ declared: () => ({ class: roomClass, retention: null }) }))?.class
    )
    expect(classes).toEqual(["standard", "large", "xlarge"])
    // A type that is deployed no more: what the row, or the snapshot, last had.
    expect(roomDetail(known({ declared: () => null }))?.class).toBe("standard")
    expect(roomDetail(known({ declared: () => null, row: null }))?.class).toBe("large")
  })

  test.each(["1h", "90d", "forever"])(
    "[rooms.patch.retention.wins-both-ways] an override of %s rules over a type's 20h",
    (override) => {
      const told = roomDetail(known({ row: { ...row, retentionOverride: override } }))
      const windows = new Map([
        ["1h", hour],
        ["90d", 90 * 24 * hour]
      ])
      const windowMs = windows.get(override)
      expect(told).toMatchObject({
        retention: override === "forever" ? null : override,
        retentionOverride: override,
        deletesAt: windowMs === undefined ? null : iso(90 * hour + windowMs)
      })
    }
  )

  test("[rooms.get.rowless-hibernated] without a row, or with a pruned one, what is stored tells", () => {
    const rowless = roomDetail(known({ row: null }))
    // The newest of all that is stored of it.
    expect(rowless).toMatchObject({ status: "hibernated", lastSeen: iso(95 * hour) })
    const pruned = { ...row, pruned: true, status: "closed" as const, retentionOverride: "1h" }
    expect(roomDetail(known({ row: pruned }))).toMatchObject({
      status: "hibernated",
      lastSeen: iso(95 * hour),
      retentionOverride: "1h"
    })
  })

  test("[rooms.get.not-found] neither row nor stored state is no room", () => {
    expect(roomDetail(known({ row: null, entries: [] }))).toBeNull()
    expect(roomDetail(known({ row: { ...row, pruned: true }, entries: [] }))).toBeNull()
    expect(roomDetail(known({ row: null, entries: entries.slice(0, 1) }))).toBeNull()
    expect(roomDetail(known({ entries: [] }))).toMatchObject({ saves: 0, stateBytes: 0 })
  })

  test("[C-224] a room that never let somebody in is one while its server reports it, not afterwards", () => {
    const unentered = { ...row, entered: false, status: "awake" as const }
    const of = (lastSeenMs: number) =>
      roomDetail(known({ row: { ...unentered, lastSeenMs }, entries: [], nowMs: 95 * hour }))
    expect(of(95 * hour - RoomLimits.reportFresh.ms + 1)).toMatchObject({ status: "awake" })
    expect(of(95 * hour - RoomLimits.reportFresh.ms)).toBeNull()
    const asleep = { ...unentered, lastSeenMs: 95 * hour, status: "hibernated" as const }
    expect(roomDetail(known({ row: asleep, entries: [], nowMs: 95 * hour }))).toBeNull()
    expect(roomDetail(known({ row: asleep, nowMs: 95 * hour }))).toMatchObject({
      status: "hibernated"
    })
  })

  test("[saves.newest-first] generations are told newest first", () => {
    expect(savesOf(key, entries).map(({ saveId }) => saveId)).toEqual([
      "sv_0123456789abcde2",
      "sv_0123456789abcde1"
    ])
  })
})

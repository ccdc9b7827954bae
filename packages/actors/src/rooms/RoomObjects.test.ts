import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { describe, expect, test } from "vitest"

import type { ObjectEntry } from "../objects/ObjectRows.ts"
import { S3Stores } from "../objects/testing/S3Stores.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { roomObjectsContract } from "./RoomObjects.contract.ts"
import {
  alarmKey,
  bundleKey,
  expiredSaves,
  newestSnapshot,
  roomPrefix,
  saveKey,
  savesPrefix,
  snapshotKey
} from "./RoomObjects.ts"

const key = { projectId: ProjectId.make("p_0123456789abcdef"), roomId: RoomId.make("a:b") }

const entry = (name: string, epoch: number, takenAtMs: number): ObjectEntry => ({
  key: name,
  sizeBytes: 1,
  storedAtMs: takenAtMs,
  manifest: {
    kind: "snapshot",
    type: "arena",
    class: "standard",
    version: 1,
    reason: null,
    schemaHash: "x",
    epoch,
    takenAtMs,
    stateBytes: 1
  }
})

describe("keys", () => {
  test("[storage.objects] everything of a room lies under its own prefix", () => {
    const save = { version: 2, saveId: "sv_1" }
    for (const name of [alarmKey(key), snapshotKey(key, 1), saveKey(key, save)]) {
      expect(name.startsWith(roomPrefix(key))).toBe(true)
    }
    expect(saveKey(key, save).startsWith(savesPrefix(key, 2))).toBe(true)
    expect(roomPrefix({ ...key, roomId: RoomId.make("a") })).not.toBe(
      roomPrefix(key).slice(0, roomPrefix({ ...key, roomId: RoomId.make("a") }).length)
    )
  })

  test("[storage.objects] the order of keys is the order of versions", () => {
    const names = [1, 2, 10, 99, 1_000_000].map((version) => snapshotKey(key, version))
    expect([...names].sort()).toEqual(names)
    expect(bundleKey(key.projectId, 9) < bundleKey(key.projectId, 10)).toBe(true)
  })

  test("[storage.objects] the longest room id fits a key", () => {
    const longest = { ...key, roomId: RoomId.make("x".repeat(RoomLimits.roomIdChars.max)) }
    const name = saveKey(longest, { version: 2 ** 31, saveId: `sv_${"0".repeat(16)}` })
    expect(name.length).toBeLessThanOrEqual(StoreLimits.objectKeyBytes.max)
  })
})

describe("the newest snapshot", () => {
  test("[version.snapshot-across-versions] is the one of the latest incarnation", () => {
    const [one, two] = [entry(snapshotKey(key, 1), 5, 100), entry(snapshotKey(key, 2), 6, 200)]
    for (const entries of [
      [one, two],
      [two, one]
    ]) {
      expect(newestSnapshot(key, entries)?.entry).toBe(two)
    }
  })

  test("[version.snapshot-across-versions] is that also after the clock was set back", () => {
    const [one, two] = [entry(snapshotKey(key, 1), 6, 100), entry(snapshotKey(key, 2), 5, 200)]
    for (const entries of [
      [one, two],
      [two, one]
    ]) {
      expect(newestSnapshot(key, entries)?.entry).toBe(one)
    }
  })

  test("[version.snapshot-across-versions] is no save, no sidecar and nothing unreadable", () => {
    const entries = [
      entry(saveKey(key, { version: 1, saveId: "sv_1" }), 9, 900),
      { ...entry(alarmKey(key), 9, 900), manifest: { kind: "alarm" } },
      { ...entry(snapshotKey(key, 3), 9, 900), manifest: {} }
    ]
    expect(newestSnapshot(key, entries)).toBeNull()
    expect(newestSnapshot(key, [])).toBeNull()
  })
})

describe("saves past the newest ten", () => {
  const saves = (
    count: number,
    epochOf: (index: number) => number,
    atMs: (index: number) => number
  ) => Array.from({ length: count }, (_, index) => entry(`s${index}`, epochOf(index), atMs(index)))

  test("[saves.retention-10] ten are kept, of eleven the oldest goes", () => {
    expect(
      expiredSaves(
        saves(
          10,
          () => 1,
          (index) => index
        )
      )
    ).toEqual([])
    expect(
      expiredSaves(
        saves(
          11,
          () => 1,
          (index) => index
        )
      )
    ).toEqual(["s0"])
    expect(
      expiredSaves(
        saves(
          13,
          () => 1,
          (index) => -index
        )
      )
    ).toEqual(["s10", "s11", "s12"])
  })

  test("[saves.retention-10] a later incarnation's save is newer, even with an earlier clock", () => {
    const entries = [
      ...saves(
        10,
        () => 1,
        () => 5000
      ),
      entry("new", 2, 10)
    ]
    expect(expiredSaves(entries)).not.toContain("new")
    expect(expiredSaves(entries)).toHaveLength(1)
  })
})

roomObjectsContract("on PostgreSQL", TestStores)
roomObjectsContract("on PostgreSQL and an S3", S3Stores)
roomObjectsContract("in memory", MemoryStores)

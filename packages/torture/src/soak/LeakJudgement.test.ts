import { MiB } from "@atrium/wire/limits/Limit"
import { describe, expect, it } from "vitest"

import {
  growthBounds,
  growthOf,
  memoryLeaks,
  objectLeaks,
  type Sample,
  type Standing,
  standingLeaks
} from "./LeakJudgement.ts"
import { medianOf, slopeOf } from "./Slope.ts"

/** 41 samples up to 10,000 cycles, the heap as told. */
const samplesOf = (heapBytes: (cycles: number) => number): ReadonlyArray<Sample> =>
  Array.from({ length: 41 }, (_, at) => at * 250).map((cycles) => ({
    cycles,
    heapBytes: heapBytes(cycles),
    anonBytes: 90 * MiB,
    backendBytes: 6 * MiB
  }))

describe("memory", () => {
  it("[D-14] a slope is the median of all pairs: a few outliers do not move it", () => {
    const line = Array.from({ length: 20 }, (_, x) => ({ x, y: 3 * x + 1 }))
    expect(slopeOf(line)).toBe(3)
    const withOutliers = line.map((point) => (point.x % 7 === 3 ? { ...point, y: 500 } : point))
    expect(slopeOf(withOutliers)).toBeCloseTo(3, 0)
    expect([slopeOf([]), slopeOf([{ x: 1, y: 5 }])]).toEqual([0, 0])
    expect([medianOf([]), medianOf([4]), medianOf([9, 1, 5]), medianOf([4, 1])]).toEqual([
      null,
      4,
      5,
      2.5
    ])
  })

  it("[D-14] memory that grows in the first third and then stays is no leak", () => {
    const warm = samplesOf((cycles) => 40 * MiB + Math.min(cycles, 3300) * 5000)
    expect(memoryLeaks(warm)).toEqual([])
    expect(growthOf(warm, "heapBytes").perThousandBytes).toBe(0)
  })

  it("[D-14] memory that goes on growing is one, past the bound", () => {
    const bound = growthBounds.heapBytes
    const growing = (perCycle: number) => samplesOf((cycles) => 40 * MiB + cycles * perCycle)
    // Ten times the bound is more than two thirds of a run of 10,000: twice it is judged surely.
    expect(memoryLeaks(growing(bound / 1000))).toEqual([])
    expect(memoryLeaks(growing((2 * bound) / 1000))).toEqual([
      "heapBytes grows by 0.50 MiB in 1,000 cycles"
    ])
  })

  it("[D-14] memory that one collection missed is no leak, and a short run proves none", () => {
    const spiky = samplesOf((cycles) => (cycles % 1500 === 0 ? 70 : 40) * MiB)
    expect(memoryLeaks(spiky)).toEqual([])
    const short = [0, 20, 40, 60].map((cycles) => ({
      cycles,
      heapBytes: 40 * MiB + cycles * 10_000,
      anonBytes: 0,
      backendBytes: 0
    }))
    expect(memoryLeaks(short)).toEqual([])
  })
})

const before: Standing = {
  processes: { room: 1, launcher: 1, postmaster: 1, backend: 3 },
  files: 40,
  timers: 12,
  rows: { rooms: 0, objects: 2, alarms: 0, cluster_messages: 0 },
  databaseBytes: 10 * MiB
}
const after: Standing = {
  processes: { ...before.processes, room: 2, backend: 17 },
  files: 40,
  timers: 12 + 16 + 8,
  rows: { rooms: 16, objects: 200, alarms: 0, cluster_messages: 0 },
  databaseBytes: 74 * MiB
}

describe("things that a run leaves", () => {
  it("[D-14] may be rooms with their objects and connections to the database, and nothing else", () => {
    expect(standingLeaks(before, after, 16)).toEqual([])
  })

  it.each<[string, Partial<Standing>, string]>([
    [
      "a room's process",
      { processes: { ...after.processes, room: 3 } },
      "processes: 1 room before, 3 after"
    ],
    [
      "a process that was not there",
      { processes: { ...after.processes, other: 1 } },
      "processes: 0 other before, 1 after"
    ],
    ["a file", { files: 41 }, "files: 40 open before, 41 after"],
    ["timers", { timers: 37 }, "timers: 12 before, 37 after"],
    ["a room", { rows: { ...after.rows, rooms: 17 } }, "rows: rooms has 17, not 16"],
    ["no room", { rows: { ...after.rows, rooms: 15 } }, "rows: rooms has 15, not 16"],
    ["an alarm", { rows: { ...after.rows, alarms: 1 } }, "rows: alarms has 1, not 0"],
    [
      "a message of the cluster",
      { rows: { ...after.rows, cluster_messages: 1 } },
      "rows: cluster_messages has 1, not 0"
    ],
    ["megabytes", { databaseBytes: 74.5 * MiB }, "the database grew by 64.50 MiB"]
  ])("[D-14] %s too many is told", (_, change, told) => {
    expect(standingLeaks(before, { ...after, ...change }, 16)).toEqual([told])
  })

  it("[limits.saves] per room and version one snapshot and at most ten saves", () => {
    const row = { roomId: "a", version: 1, snapshots: 1, saves: 10 }
    const ofOldVersion = { roomId: "a", version: 2, snapshots: 0, saves: 0 }
    expect(objectLeaks([row, ofOldVersion], ["a"])).toEqual([])
    expect(objectLeaks([{ ...row, saves: 11 }], ["a"])).toEqual([
      "objects: a version 1 has 11 saves, at most 10"
    ])
    expect(objectLeaks([{ ...row, snapshots: 2 }], ["a"])).toEqual([
      "objects: a version 1 has 2 snapshots"
    ])
    expect(objectLeaks([row, { ...row, roomId: "b" }], ["a"])).toEqual([
      "objects: b version 1 belongs to no room"
    ])
    expect(objectLeaks([], ["a"])).toEqual(["objects: a has no snapshot"])
  })
})

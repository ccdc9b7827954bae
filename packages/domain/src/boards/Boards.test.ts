import { Schema } from "effect"
import { describe, expect, test } from "vitest"

import { faultOf } from "../testing/FaultOf.ts"
import { Boards } from "./Boards.ts"

const faultOfBoard = (board: unknown): string | null => faultOf(Boards, { kills: board })
const named = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`b${index}`, { direction: "lower" }])
  )
const direction = "higher"

describe("boards that are taken", () => {
  test.each<readonly [id: string, board: unknown]>([
    ["boards.direction.required", { direction: "higher" }],
    ["boards.direction.required", { direction: "lower" }],
    ["boards.period.values", { direction, period: "daily" }],
    ["boards.period.values", { direction, period: "weekly" }],
    ["boards.period.values", { direction, period: "monthly" }],
    ["boards.period.values", { direction, period: "season:1" }],
    ["boards.period.values", { direction, period: `season:${"s".repeat(64)}` }],
    ["boards.buckets.default-false", { direction, buckets: false }],
    ["boards.buckets.default-false", { direction, buckets: true }],
    ["D-34", { direction, keep: 1 }],
    ["D-34", { direction, keep: 120 }],
    ["D-34", { direction, period: "daily", buckets: true, keep: 12 }],
    ["D-52", { direction, mode: "best" }],
    ["D-52", { direction, mode: "sum" }],
    ["D-52", { direction, mode: "last" }]
  ])("[%s] %j", (_id, board) => {
    expect(faultOfBoard(board)).toBeNull()
    // No default is written into a declaration: what was declared comes back.
    expect(Schema.decodeUnknownSync(Boards)({ kills: board })).toEqual({ kills: board })
  })
})

const aDirection = "direction: must be higher or lower"
const aPeriod = "period: must be daily, weekly, monthly or season:<name>"
const aKeep = "keep: must be a whole number from 1 to 120"
const aFlag = "buckets: must be true or false"

describe("boards that are refused, by their name", () => {
  test.each<readonly [id: string, board: unknown, fault: string]>([
    ["boards.direction.required", {}, aDirection],
    ["boards.direction.required", { direction: "up" }, aDirection],
    ["boards.direction.required", { direction: "Higher" }, aDirection],
    ["boards.direction.required", { direction: null }, aDirection],
    ["boards.direction.required", { direction: true }, aDirection],
    ["boards.period.values", { direction, period: "yearly" }, aPeriod],
    ["boards.period.values", { direction, period: "Daily" }, aPeriod],
    ["boards.period.values", { direction, period: "daily\n" }, aPeriod],
    ["boards.period.values", { direction, period: "season" }, aPeriod],
    ["boards.period.values", { direction, period: "season:" }, aPeriod],
    ["boards.period.values", { direction, period: "season:A" }, aPeriod],
    ["boards.period.values", { direction, period: `season:${"s".repeat(65)}` }, aPeriod],
    ["boards.period.values", { direction, period: null }, aPeriod],
    ["boards.buckets.default-false", { direction, buckets: "no" }, aFlag],
    ["boards.buckets.default-false", { direction, buckets: null }, aFlag],
    ["D-34", { direction, keep: 0 }, aKeep],
    ["D-34", { direction, keep: 121 }, aKeep],
    ["D-34", { direction, keep: 1.5 }, aKeep],
    ["D-34", { direction, keep: "12" }, aKeep],
    ["D-52", { direction, mode: "max" }, "mode: must be best, sum or last"],
    ["D-52", { direction, mode: null }, "mode: must be best, sum or last"],
    ["D-34", { direction, bucket: true }, "bucket: Expected no excess property"],
    ["file.validate.boards-type", null, "must be a board: an object"],
    ["file.validate.boards-type", [], "must be a board: an object"]
  ])("[%s] %j", (_id, board, fault) => {
    expect(faultOfBoard(board)).toBe(`kills: ${fault}`)
  })
})

describe("the map", () => {
  test("[C-69] 256 boards are taken, one more is not", () => {
    expect(faultOf(Boards, {})).toBeNull()
    expect(faultOf(Boards, named(256))).toBeNull()
    expect(faultOf(Boards, named(257))).toBe("at most 256 boards")
  })

  test.each(["[]", "null", "3", '"x"'])("[file.validate.boards-type] %s is none", (text) => {
    expect(faultOf(Boards, JSON.parse(text))).toBe("must be an object of boards by name")
  })

  test.each(["a", "best.of_all-times", "b".repeat(64)])("[lb.name.length] %s is a name", (name) => {
    expect(faultOf(Boards, { [name]: { direction } })).toBeNull()
  })

  test.each(["", "A", "a b", "é", "b".repeat(65)])("[lb.name.length] %j is none", (name) => {
    expect(faultOf(Boards, { [name]: { direction } })).toBe(
      `${name}: a name has 1 to 64 of a-z 0-9 . _ -`
    )
  })
})

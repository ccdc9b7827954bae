import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import type { Board } from "@atrium/domain/boards/Boards"
import { describe, expect, test } from "vitest"

import {
  type Entry,
  entryKey,
  placed,
  type PlacedSubmit,
  type ScoreBook,
  step,
  type Submit,
  type SubmitOutcome
} from "./BoardMachine.ts"

const submitOf = (more: Partial<Submit>): Submit => ({
  board: "main",
  bucket: null,
  playerId: "ann",
  score: 0,
  digest: null,
  ...more
})
const empty: ScoreBook = { rows: 0, entries: new Map(), digests: new Set() }

const placedOn = (declared: Board, more: Partial<Submit>): PlacedSubmit => {
  const submit = placed(submitOf(more), declared, 0)
  if (typeof submit === "string") throw new Error(submit)
  return submit
}

/** Submits scores of one player, one a millisecond. @returns each outcome, and the last entry */
const scored = (declared: Board, ...scores: ReadonlyArray<number>) => {
  let book = empty
  const outcomes: Array<SubmitOutcome> = []
  scores.forEach((score, nowMs) => {
    const submit = placedOn(declared, { score, digest: String(nowMs) })
    const [next, outcome] = step(book, { ...submit, nowMs })
    outcomes.push(outcome)
    book = next
  })
  return { outcomes, entry: [...book.entries.values()][0] }
}

describe("a further score", () => {
  test.each<readonly [board: Board, scores: ReadonlyArray<number>, entry: Entry]>([
    [{ direction: "higher" }, [5, 7, 6], { key: -7, atMs: 1 }],
    [{ direction: "higher" }, [5, 5], { key: -5, atMs: 0 }],
    [{ direction: "lower" }, [5, 7, 4, 4], { key: 4, atMs: 2 }],
    [{ direction: "higher", mode: "best" }, [-5, -7], { key: 5, atMs: 0 }],
    [{ direction: "higher", mode: "sum" }, [5, -7], { key: 2, atMs: 1 }],
    [{ direction: "lower", mode: "sum" }, [5, 7, 0], { key: 12, atMs: 1 }],
    [{ direction: "higher", mode: "last" }, [5, 3], { key: -3, atMs: 1 }],
    [{ direction: "higher", mode: "last" }, [5, 3, 3], { key: -3, atMs: 1 }]
  ])("[D-52] [C-580] %j of %j has the entry %j", (board, scores, entry) => {
    expect(scored(board, ...scores).entry).toEqual(entry)
  })

  test("[C-586] a score of 0 has the key 0, and a sum stays within the safe range", () => {
    expect(Object.is(scored({ direction: "higher" }, 0).entry?.key, 0)).toBe(true)
    const most = Number.MAX_SAFE_INTEGER
    const { outcomes, entry } = scored({ direction: "higher", mode: "sum" }, most, 1, -1)
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Taken", "Refused", "Taken"])
    expect(outcomes[1]).toEqual({ _tag: "Refused", why: "sumTooLarge" })
    expect(entry?.key).toBe(1 - most)
  })
})

describe("the rows of a project", () => {
  test("[lb.rows] the 1,000,000th is taken, one more is not, and those that are there still change", () => {
    const { max } = BoardLimits.boardRows
    const [bob, cid] = ["bob", "cid"].map((playerId) =>
      placedOn({ direction: "higher" }, { playerId, score: 5 })
    )
    if (bob === undefined || cid === undefined) throw new Error("no submits")
    const [full, last] = step({ ...empty, rows: max - 1 }, { ...bob, nowMs: 0 })
    expect([full.rows, last]).toEqual([max, { _tag: "Taken", score: 5, changed: true }])
    const [same, over] = step(full, { ...cid, nowMs: 1 })
    expect([same, over]).toEqual([full, { _tag: "Refused", why: "boardFull" }])
    const [better] = step(full, { ...bob, score: 6, nowMs: 1 })
    expect(better.entries.get(entryKey(bob.series, bob))).toEqual({ key: -6, atMs: 1 })
  })

  test("[C-584] a refused submit does not use up its id", () => {
    const submit = placedOn({ direction: "higher" }, { score: 5, digest: "one" })
    const [book] = step({ ...empty, rows: BoardLimits.boardRows.max }, { ...submit, nowMs: 0 })
    expect(book.digests.size).toBe(0)
  })
})

test.each<readonly [Board | undefined, Partial<Submit>, string]>([
  [undefined, {}, "boardUnknown"],
  [{ direction: "higher", buckets: true }, {}, "bucketMissing"],
  [{ direction: "higher" }, { bucket: "eu" }, "bucketUnknown"],
  [{ direction: "higher", buckets: false }, { bucket: "eu" }, "bucketUnknown"],
  [{ direction: "higher", mode: "sum" }, {}, "idMissing"]
])("[C-585] %j takes no submit %j: %s", (declared, more, why) => {
  expect(placed(submitOf(more), declared, 0)).toBe(why)
})

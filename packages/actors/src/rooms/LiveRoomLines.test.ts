import { describe, expect, it } from "vitest"

import { LiveRoomLines } from "./LiveRoomLines.ts"

const line = (roomId: string, seenMs: number, clients = 0): string =>
  `"roomId":"${roomId}","status":"awake","slot":0\t${seenMs}\t"clients":${clients}\t\tarena`
const of = (...lines: ReadonlyArray<string>) => ({ mark: "1", lines: lines.join("\n") })

describe("the lines of a live room list", () => {
  it("[C-769] tells a line that is new or has changed, and a moment alone after ten seconds", () => {
    const list = new LiveRoomLines()
    const first = [line("a", 1000), line("b", 1000)]
    expect(list.whole(of(...first))).toEqual({ lines: first, gone: [] })
    const seen = { ...of(line("a", 3000), line("b", 3000, 1)), hidden: [], rows: 2 }
    expect(list.changed(seen)).toEqual({ lines: [line("b", 3000, 1)], gone: [] })
    const at = (ms: number) =>
      list.changed({ ...of(line("a", ms)), hidden: [], rows: 2 })?.lines ?? null
    expect([at(10_999), at(11_000), at(11_001)]).toEqual([[], [line("a", 11_000)], []])
  })

  it("[C-769] tells what is hidden, if it was ever told", () => {
    const list = new LiveRoomLines()
    list.whole(of(line("a", 0), line("b", 0)))
    expect(list.changed({ ...of(), hidden: ["a", "c"], rows: 1 })).toEqual({
      lines: [],
      gone: ["a"]
    })
  })

  it("[C-769] compares the whole list when the number of rows does not fit the changes", () => {
    const list = new LiveRoomLines()
    list.whole(of(line("a", 0), line("b", 0)))
    expect(list.changed({ ...of(), hidden: [], rows: 1 })).toBe(null)
    expect(list.whole(of(line("b", 0), line("c", 0)))).toEqual({
      lines: [line("c", 0)],
      gone: ["a"]
    })
  })
})

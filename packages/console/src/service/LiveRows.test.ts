import { describe, expect, it } from "vitest"

import { LiveCollector } from "./LiveRows.ts"

interface Row {
  readonly id: string
  readonly n: number
}
const at = (second: number): string => new Date(second * 1000).toISOString()
const rows = (second: number, ...told: ReadonlyArray<Row>) => ({
  event: "rows",
  data: JSON.stringify({ at: at(second), rows: told })
})
const gone = (second: number, ...keys: ReadonlyArray<string>) => ({
  event: "gone",
  data: JSON.stringify({ at: at(second), gone: keys })
})
const whole = (second: number) => ({ event: "whole", data: JSON.stringify({ at: at(second) }) })
const collector = () => new LiveCollector<Row>(({ id }) => id)

describe("a live list", () => {
  it("[C-765] is in sight when it is whole, and then changes row by row", () => {
    const list = collector()
    list.begin()
    expect(list.take([rows(1, { id: "a", n: 1 }), { event: "ping", data: "" }])).toBe(null)
    expect(list.take([rows(1, { id: "b", n: 2 }), whole(1)])).toEqual({
      rows: new Map([
        ["a", { id: "a", n: 1 }],
        ["b", { id: "b", n: 2 }]
      ]),
      atMs: 1000
    })
    const after = list.take([rows(2, { id: "a", n: 3 }), gone(2, "b")])
    expect(after).toEqual({ rows: new Map([["a", { id: "a", n: 3 }]]), atMs: 2000 })
    expect(list.take([{ event: "ping", data: "" }])).toBe(null)
  })

  it("[C-765] a list that is told anew comes when it is whole", () => {
    const list = collector()
    list.begin()
    list.take([rows(1, { id: "a", n: 1 }), whole(1)])
    list.begin()
    expect(list.take([rows(2, { id: "b", n: 1 })])).toBe(null)
    // The new list lacks a row that was deleted meanwhile.
    expect(list.take([whole(2)])?.rows).toEqual(new Map([["b", { id: "b", n: 1 }]]))
  })

  it("[C-766] fields that this page does not know do no harm", () => {
    const list = collector()
    list.begin()
    const data = JSON.stringify({ at: at(1), rows: [{ id: "a", n: 1, mood: "good" }], more: 1 })
    expect(list.take([{ event: "rows", data }, whole(1)])?.rows.get("a")?.n).toBe(1)
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { ageText } from "./Ages.ts"
import { plain } from "./Paint.ts"
import { printable, printableLines } from "./Printable.ts"
import { type Column, pairsText, tableText } from "./Table.ts"

interface Row {
  readonly id: string
  readonly count: number
  readonly note: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "ID", cell: ({ id }) => id, weight: 0 },
  { title: "COUNT", cell: ({ count }) => String(count), weight: 2 },
  { title: "NOTE", cell: ({ note }) => note, weight: 1 }
]
const rows: ReadonlyArray<Row> = [
  { id: "a", count: 7, note: "" },
  { id: "long-id", count: 123_456, note: "späť" }
]

describe("tableText", () => {
  it("[D-41] aligns its columns, and ends no line with air", () => {
    expect(tableText(rows, columns, 0)).toBe(
      ["ID       COUNT   NOTE", "a        7", "long-id  123456  späť"].join("\n")
    )
  })

  it("[D-41] a narrow terminal loses columns, the least first, and never a part of a cell", () => {
    const titles = (widthMax: number) =>
      tableText(rows, columns, widthMax).split("\n")[0]?.split(/ +/)
    expect(titles(21)).toEqual(["ID", "COUNT", "NOTE"])
    expect(titles(20)).toEqual(["ID", "COUNT"])
    expect(titles(15)).toEqual(["ID", "COUNT"])
    expect(titles(14)).toEqual(["ID"])
    expect(titles(1)).toEqual(["ID"])
    expect(tableText(rows, columns, 1)).toContain("long-id")
  })

  it("[D-41] every line fits, as long as more than the first column is shown", () => {
    const anyRow = fc.record({ id: fc.string(), count: fc.nat(), note: fc.string() })
    fc.assert(
      fc.property(fc.array(anyRow), fc.integer({ min: 1, max: 80 }), (given, widthMax) => {
        const lines = tableText(given, columns, widthMax).split("\n")
        expect(lines).toHaveLength(given.length + 1)
        if (/ (?:COUNT|NOTE)/.test(lines[0] ?? "")) {
          for (const line of lines) expect([...line].length).toBeLessThanOrEqual(widthMax)
        }
      })
    )
  })

  it("[D-41] a cell cannot write on the terminal beyond its place", () => {
    const evil = { id: "\u001b[2Jx\ny\u202e", count: 1, note: "\u009b31m\r" }
    const text = tableText([evil], columns, 0)
    expect(text.split("\n")).toHaveLength(2)
    expect(text).toContain("\u{fffd}[2Jx\u{fffd}y\u{fffd}")
    expect(text.replace("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u)
  })
})

describe("pairsText", () => {
  it("[D-41] puts all values into one column", () => {
    expect(
      pairsText(
        [
          ["room", "a"],
          ["last seen", "now"]
        ],
        plain
      )
    ).toBe("room       a\nlast seen  now")
  })
})

describe("printable", () => {
  it("[D-41] keeps line ends and letters of all languages, and replaces control characters", () => {
    expect(printableLines("a\n\u001b[1mb\tc")).toBe("a\n\u{fffd}[1mb\u{fffd}c")
    for (const text of ["é ß", "日本語", "👩‍🚀", "עברית"]) expect(printable(text)).toBe(text)
  })
})

describe("ageText", () => {
  const nowMs = Date.parse("2026-03-01T12:00:00.000Z")
  const ages: ReadonlyArray<readonly [string | null, string]> = [
    [null, "never"],
    ["2026-03-01T12:00:00.000Z", "now"],
    ["2026-03-01T11:59:59.001Z", "now"],
    ["2026-03-01T12:00:00.999Z", "now"],
    ["2026-03-01T11:59:59.000Z", "1s ago"],
    ["2026-03-01T11:59:00.001Z", "59s ago"],
    ["2026-03-01T11:59:00.000Z", "1m ago"],
    ["2026-03-01T11:00:00.001Z", "59m ago"],
    ["2026-03-01T11:00:00.000Z", "1h ago"],
    ["2026-02-28T12:00:00.001Z", "23h ago"],
    ["2026-02-28T12:00:00.000Z", "1d ago"],
    ["2025-03-01T12:00:00.000Z", "365d ago"],
    ["2026-03-01T12:00:01.000Z", "in 1s"],
    ["2026-03-01T12:00:02.499Z", "in 2s"],
    ["2026-03-01T12:00:59.499Z", "in 59s"],
    ["2026-03-01T12:00:59.500Z", "in 1m"],
    ["2026-03-01T12:01:59.499Z", "in 1m59s"],
    ["2026-03-01T12:01:59.500Z", "in 2m"],
    ["2026-03-01T12:59:29.999Z", "in 59m30s"],
    ["2026-03-01T12:59:30.000Z", "in 1h"],
    ["2026-03-01T13:30:00.000Z", "in 1h30m"],
    ["2026-03-01T13:59:29.999Z", "in 1h59m"],
    ["2026-03-01T13:59:59.000Z", "in 2h"],
    ["2026-03-02T11:29:59.999Z", "in 23h30m"],
    ["2026-03-02T11:30:00.000Z", "in 1d"],
    ["2026-03-03T11:29:59.999Z", "in 1d23h"],
    ["2026-03-03T11:59:59.000Z", "in 2d"],
    ["2026-03-31T11:59:59.000Z", "in 30d"],
    ["2026-03-31T12:00:00.000Z", "in 30d"],
    ["soon", "soon"]
  ]
  it.each(ages)("[D-41] %s is %s", (at, text) => {
    expect(ageText(at, nowMs, "never")).toBe(text)
  })
})

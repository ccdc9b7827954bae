import { describe, expect, it } from "vitest"

import type { Row } from "../sections/Row.ts"
import { atMost, dayMs, kilobytes, minuteMs, secondMs } from "../sections/Units.ts"
import type { Finding } from "./Finding.ts"
import { type Known, judge } from "./Referee.ts"
import { linesOf, shaOf } from "./SpecificationLine.ts"
import { codesOf, numbersOf } from "./WrittenNumber.ts"

/** A specification of a service that does not exist. */
const specification = `# Lanterns

A text that asks nothing.

- A lantern holds up to three candles.

## Limits

| Limit | Value |
|---|---|
| Wick | 512 bytes UTF-8, E_WICK_LONG |
| Wax | 64 KB, kept 30 days |
| Lights | 20/min, burst 5 |
| Colours | 1-64 characters of a-z 0-9 |

1. Who lights a lantern twice is refused with 409 E_LIT.
2. A lantern goes out after ten seconds, or 1,000,000 steps.
`
const texts = specification.split("\n")
const lineOf = (start: string): number => texts.findIndex((text) => text.startsWith(start)) + 1

const candles: Row = {
  kind: "boundary",
  ids: ["lantern.candles"],
  ...atMost(3, "count"),
  outcome: {}
}
const wick: Row = {
  kind: "boundary",
  ids: ["limit.wick"],
  ...atMost(512, "bytes"),
  outcome: { code: "E_WICK_LONG" }
}
const wax: Row = { kind: "boundary", ids: ["limit.wax"], ...kilobytes(64), outcome: {} }
const kept: Row = {
  kind: "keep",
  ids: ["limit.wax.kept"],
  datum: "wax",
  forMs: 30 * dayMs,
  becomes: "gone"
}
const lights: Row = {
  kind: "bucket",
  ids: ["limit.lights"],
  endpoint: "lights",
  key: "address",
  rate: 20,
  perMs: minuteMs,
  burst: 5,
  outcome: {}
}
const colours: Row = {
  kind: "text",
  ids: ["limit.colours"],
  pattern: "^[a-z0-9]{1,64}$",
  good: [],
  bad: [],
  outcome: {}
}
const lit: Row = {
  kind: "error",
  ids: ["lantern.lit"],
  numbers: [2],
  outcome: { status: 409, code: "E_LIT" }
}
const out: Row = {
  kind: "statement",
  ids: ["lantern.out"],
  is: { afterMs: 10 * secondMs, steps: 1_000_000 }
}

const at = (id: string, start: string) => {
  const line = lineOf(start)
  return { id, line, sha: shaOf(texts[line - 1] ?? "") }
}
const known: Known = {
  requirements: [
    at("lantern.candles", "- A lantern"),
    at("limit.wick", "| Wick"),
    at("limit.wax", "| Wax"),
    at("limit.wax.kept", "| Wax"),
    at("limit.lights", "| Lights"),
    at("limit.colours", "| Colours"),
    at("lantern.lit", "1. Who"),
    { ...at("lantern.out", "2. A"), alsoLines: [lineOf("- A lantern")] }
  ],
  rows: [candles, wick, wax, kept, lights, colours, lit, out],
  prose: [{ ...at("", "A text"), reason: "An introduction." }]
}

const found = (
  markdown: string,
  of: Known = known
): ReadonlyArray<Pick<Finding, "kind" | "line">> =>
  judge(markdown, of).findings.map(({ kind, line }) => ({ kind, line }))
const replaced = (old: string, by: string) => {
  expect(specification).toContain(old)
  return specification.replace(old, by)
}
const without = (id: string): Known => ({
  ...known,
  rows: known.rows.filter(({ ids }) => ids[0] !== id)
})

describe("the referee", () => {
  it("[C-89] finds nothing where all is covered", () => {
    const { findings, counts } = judge(specification, known)
    expect(findings).toEqual([])
    expect(counts).toEqual({
      lines: 18,
      saying: 8,
      covered: 7,
      prose: 1,
      tableRows: 4,
      numbers: 12,
      codes: 2
    })
  })

  it("[C-89] finds a number that was changed, by the line and by the number", () => {
    const markdown = replaced("512 bytes", "513 bytes")
    const line = lineOf("| Wick")
    expect(found(markdown)).toEqual([
      { kind: "changed", line },
      { kind: "number", line }
    ])
    expect(judge(markdown, known).findings[1]?.says).toContain("513")
  })

  it("[C-89] finds a number that the tables have wrong", () => {
    const wrong = {
      ...known,
      rows: [...without("limit.wick").rows, { ...wick, accept: 511, refuse: 512 }]
    }
    expect(found(specification, wrong)).toEqual([{ kind: "number", line: lineOf("| Wick") }])
    const days = {
      ...known,
      rows: [...without("limit.wax.kept").rows, { ...kept, forMs: 30 * minuteMs }]
    }
    expect(found(specification, days)).toEqual([{ kind: "number", line: lineOf("| Wax") }])
  })

  it("[C-89] finds a line that was added, and tells once that all others moved", () => {
    const line = lineOf("| Wax")
    const added = replaced("| Wax", "| Oil | 5 drops |\n| Wax")
    expect(found(added)).toEqual([
      { kind: "uncovered", line },
      { kind: "moved", line: line + 1 }
    ])
    expect(judge(added, known).findings[0]?.says).toContain("row of a table")
    const end = `${specification}\nA lantern must be red.\n`
    expect(found(end)).toEqual([{ kind: "uncovered", line: texts.length + 1 }])
    for (const text of ["- A new bullet.", "3. A new rule.", "Words."]) {
      expect(found(`${specification}${text}\n`)).toMatchObject([{ kind: "uncovered" }])
    }
    for (const text of ["", "## A heading"]) expect(found(`${specification}${text}\n`)).toEqual([])
  })

  it("[C-89] finds a line that was removed", () => {
    const removed = texts.filter((text) => !text.startsWith("| Lights")).join("\n")
    expect(found(removed)).toContainEqual({ kind: "changed", line: lineOf("| Lights") })
    const last = texts.filter((text) => !text.startsWith("2. A")).join("\n")
    expect(found(last)).toMatchObject([{ kind: "changed" }])
  })

  it("[C-89] finds a code that was added, in a line or to it", () => {
    const line = lineOf("2. A")
    expect(found(replaced("steps.", "steps (E_OUT)."))).toEqual([
      { kind: "changed", line },
      { kind: "code", line }
    ])
  })

  it("[C-89] finds words that were changed, where no number was", () => {
    expect(found(replaced("asks nothing", "asks much"))).toEqual([
      { kind: "changed", line: lineOf("A text") }
    ])
  })

  it.each(known.requirements.map(({ id }) => id))("[C-89] finds that %s has no row", (id) => {
    expect(found(specification, without(id)).length).toBeGreaterThan(0)
  })

  it("[C-89] finds that a row of a table is no requirement's", () => {
    const requirements = known.requirements.filter(({ id }) => id !== "limit.colours")
    expect(found(specification, { ...known, requirements })).toEqual([
      { kind: "uncovered", line: lineOf("| Colours") }
    ])
    expect(found(specification, { ...known, prose: [] })).toMatchObject([{ kind: "uncovered" }])
  })

  it("[C-89] finds a line that was recorded with two hashes", () => {
    const twice = { id: "limit.twice", line: lineOf("| Wick"), sha: "0".repeat(16) }
    const requirements = [twice, ...known.requirements]
    expect(found(specification, { ...known, requirements })).toEqual([
      { kind: "changed", line: lineOf("| Wick") }
    ])
  })
})

describe("a line", () => {
  it("[C-89] has a kind, such as heading, prose, bullet or row", () => {
    const kinds = linesOf(specification).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "row").length).toBe(4)
    expect(kinds.filter((kind) => kind === "header" || kind === "separator").length).toBe(2)
    expect(kinds.slice(0, 5)).toEqual(["heading", "blank", "prose", "blank", "bullet"])
  })

  it("[C-89] has numbers with their units, and digits within names are no numbers", () => {
    const read = (line: string) => numbersOf(line).map(({ means }) => means)
    expect(read("4 MiB, 256 KB, 3 hours")).toEqual([[4_194_304], [256_000, 262_144], [10_800_000]])
    expect(read("1m to 3650d, 95 seconds")).toEqual([[60_000], [315_360_000_000], [95_000]])
    expect(read("120/min by /64, 12,000 at 80%")).toEqual([[120], [64], [12_000], [80]])
    expect(read("40000-40999, 1-64 of a-z 0-9")).toEqual([[40_000], [40_999], [1], [64]])
    expect(read("SHA-256, UTF-8, ISO 8601, IPv6, /v1/x, p_16 and E_4")).toEqual([])
    expect(read("3. Two or twice after ten seconds, often")).toEqual([[2], [2], [10_000]])
  })

  it("[C-89] has each error code once, and no other capitals", () => {
    expect(codesOf("502 E_EVICT_FAILED, E_STATE_CAP; SERVICE_CONTROL_URL, E_STATE_CAP")).toEqual([
      "E_EVICT_FAILED",
      "E_STATE_CAP"
    ])
  })
})

import { describe, expect, it } from "vitest"

import { requirements } from "../requirements/Requirement.ts"
import { rows, rowOf } from "./Tables.ts"

const known = new Map(requirements.map((requirement) => [requirement.id, requirement]))

describe("rows", () => {
  it("[conformance.rows] account for every requirement once", () => {
    const ids = rows.flatMap((row) => row.ids)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(ids.filter((id) => !known.has(id))).toEqual([])
    expect([...known.keys()].filter((id) => !ids.includes(id))).toEqual([])
  })

  it("[conformance.rows] hold what says the same", () => {
    for (const row of rows) {
      for (const id of row.ids) {
        const original = known.get(id)?.sameAs
        if (original !== undefined) expect(row.ids, id).toContain(original)
      }
    }
  })

  it("[conformance.rows] are documented where and only where nothing can be asked, with the reason", () => {
    for (const row of rows) {
      for (const id of row.ids) {
        expect(row.kind === "documented", id).toBe(known.get(id)?.tier === "D")
      }
      if (row.kind === "documented") expect(row.reason).toMatch(/^[A-Z].+\.$/)
    }
  })

  it("[conformance.rows] list every move of the table of states, and the refusals of its rows", () => {
    const [first, last] = [189, 202]
    for (let line = first; line <= last; line++) {
      const moves = rows.filter(
        (row) => row.kind === "move" && row.ids.some((id) => known.get(id)?.line === line)
      )
      expect(moves.length, `line ${line}`).toBeGreaterThan(0)
    }
  })

  it("[conformance.rows] are bounds with two sides that differ", () => {
    for (const row of rows) {
      if (row.kind !== "boundary") continue
      expect(row.accept, row.ids[0]).not.toBe(row.refuse)
      if (row.least !== undefined) expect(row.least, row.ids[0]).toBeLessThanOrEqual(row.accept)
      if (row.grey === undefined) continue
      expect(row.grey[1], row.ids[0]).toBe(row.accept)
      expect(row.grey[0], row.ids[0]).toBeLessThan(row.accept)
      expect(row.refuse, row.ids[0]).toBe(row.accept + 1)
    }
  })

  it("[conformance.rows] are allowances that come back, drawn after rows that there are", () => {
    for (const row of rows) {
      if (row.kind !== "bucket") continue
      expect(Math.min(row.burst, row.rate, row.perMs), row.ids[0]).toBeGreaterThan(0)
      if (row.drawnAfter !== undefined) {
        expect(rowOf("bucket", row.drawnAfter).endpoint).toBe(row.endpoint)
      }
    }
  })

  it("[conformance.rows] are identical to rows that there are, with the same refusal", () => {
    for (const row of rows) {
      if (row.kind !== "error" || row.identicalTo === undefined) continue
      expect(rowOf("error", row.identicalTo).outcome, row.ids[0]).toEqual(row.outcome)
    }
  })

  it("[conformance.rows] are found by id and kind, or it is said why not", () => {
    expect(rowOf("boundary", "limits.chat.bytes").accept).toBe(512)
    expect(() => rowOf("bucket", "limits.chat.bytes")).toThrow("is a boundary, not a bucket")
    expect(() => rowOf("bucket", "limits.chat")).toThrow("no row for limits.chat")
  })
})

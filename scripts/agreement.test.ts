import * as refusals from "@atrium/domain/shared/Refusal"
import type { Refused, Row } from "@atrium/spec-tests/sections/Row"
import { rows } from "@atrium/spec-tests/sections/Sections"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { describe, expect, it } from "vitest"

import { counterparts, without } from "./agreement/Counterparts.ts"

// The suite and the service hold the specification's numbers apart, so that one wrong number needs
// two mistakes. Here they are compared; what is right, only the specification says.

const rowOf = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)))

/** A number of a row, or of its `is`. */
const fieldOf = (row: Row, field: string): unknown =>
  new Map<string, unknown>([...Object.entries(row.is ?? {}), ...Object.entries(row)]).get(field)

const isNumeric = (row: Row): boolean =>
  row.kind === "boundary" ||
  row.kind === "bucket" ||
  (row.kind === "keep" && (row.forMs !== "forever" || row.newest !== undefined)) ||
  Object.values(row.is ?? {}).some((value) => typeof value === "number")

const outcomeOf = (row: Row): Refused | null =>
  "outcome" in row && row.outcome !== undefined ? row.outcome : null

/** Status by code. */
const statuses = new Map<string, unknown>(
  Object.values(refusals).map(({ identifier, ast }) => [
    identifier,
    ast.annotations?.["httpApiStatus"]
  ])
)
const closeCodes = new Map<string, number>(
  Object.values(CloseCodes).map(({ name, code }) => [name, code])
)
const roomCodes = new Set<string>(Object.values(RoomRefusals).map(({ code }) => code))

describe("the numbers of the suite and of the service", () => {
  it("[C-89] are the same where both have them", () => {
    const drift = Object.entries(counterparts).flatMap(([id, parts]) => {
      const row = rowOf.get(id)
      if (row === undefined) return [`${id}: the suite has no such row`]
      return parts.flatMap(({ field, name, value }) => {
        const held = fieldOf(row, field)
        return held === value ? [] : [`${id}: ${field} is ${String(held)}, ${name} is ${value}`]
      })
    })
    expect(drift).toEqual([])
  })

  it("[C-89] are compared, or it is said why not", () => {
    const found = rows.filter(isNumeric).flatMap(({ ids }) => {
      const isCompared = ids.some((id) => Object.hasOwn(counterparts, id))
      const reason = without.find(([start]) => ids[0].startsWith(start))
      return isCompared || reason !== undefined
        ? []
        : [`${ids[0]} has no counterpart and no reason`]
    })
    expect(found).toEqual([])
    const idle = without.filter(
      ([start]) => !rows.some((row) => isNumeric(row) && row.ids[0].startsWith(start))
    )
    expect(idle).toEqual([])
  })
})

describe("the codes of the suite and of the service", () => {
  const refused = rows.flatMap((row) => {
    const outcome = outcomeOf(row)
    return outcome === null ? [] : [{ id: row.ids[0], ...outcome }]
  })

  it("[C-89] are codes of the service", () => {
    expect(statuses.size).toBeGreaterThan(20)
    const codes = [...new Set(refused.flatMap(({ code }) => code ?? []))]
    const isKnown = (code: string): boolean =>
      statuses.has(code) || closeCodes.has(code) || roomCodes.has(code)
    expect(codes.filter((code) => !isKnown(code))).toEqual([])
  })

  it("[C-89] have the same HTTP status in the rows of the suite and in the service", () => {
    const drift = refused.flatMap(({ id, code = "", status }) => {
      if (status === undefined || code === "") return []
      const ours = statuses.get(code)
      return ours === status
        ? []
        : [`${id}: ${code} is ${status}, the service says ${String(ours)}`]
    })
    expect(drift).toEqual([])
  })

  it("[C-89] close a connection with the same number", () => {
    const numbers = new Set(closeCodes.values())
    const drift = refused.flatMap(({ id, code, close }) => {
      if (typeof close !== "number") return []
      const ours = code === undefined ? numbers.has(close) : closeCodes.get(code) === close
      return ours ? [] : [`${id}: ${code ?? "a close"} is ${close}, not so in CloseCode.ts`]
    })
    expect(drift).toEqual([])
  })
})

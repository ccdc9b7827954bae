import { readFileSync, readdirSync } from "node:fs"

import { Schema } from "effect"
import { describe, expect, it } from "vitest"

import { requirements } from "../sections/Requirements.ts"
import { frozenSets, readFrozenSet } from "./FrozenSet.ts"

const folder = new URL("../../sets/", import.meta.url)
const Ids = Schema.Array(Schema.String)
/** Ids that count, and those of them that are not of the level `must`. */
const Frozen = Schema.fromJsonString(Schema.Struct({ ids: Ids, decided: Ids, info: Ids }))
const sets = readdirSync(folder).map((name) => ({
  name: name.replace(/\.json$/, ""),
  ...Schema.decodeUnknownSync(Frozen)(readFileSync(new URL(name, folder), "utf8"))
}))
const levels = new Map(requirements.map(({ id, level }) => [id, level]))

describe("frozen sets", () => {
  it("[conformance.sets] are named after their month, and read by the engine", () => {
    expect(sets.map(({ name }) => name)).toEqual(frozenSets())
    for (const { name, ids } of sets) {
      expect(name).toMatch(/^\d{4}-\d{2}$/)
      expect([...readFrozenSet(name)]).toEqual(ids)
    }
  })

  it("[conformance.sets] hold requirements that there still are, once each, on the level that they had", () => {
    for (const { name, ids, decided, info } of sets) {
      expect(new Set(ids).size, name).toBe(ids.length)
      for (const id of ids) {
        const level = decided.includes(id) ? "decided" : info.includes(id) ? "info" : "must"
        expect(levels.get(id), `${id} of ${name}`).toBe(level)
      }
      expect(
        [...decided, ...info].filter((id) => !ids.includes(id)),
        name
      ).toEqual([])
    }
  })

  it("[conformance.sets] of 2026-11 hold all of that month", () => {
    expect(sets.find(({ name }) => name === "2026-11")?.ids.length).toBe(674)
  })
})

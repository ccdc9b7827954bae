import { readFileSync } from "node:fs"

import { describe, expect, it } from "vitest"

import { requirementOf, requirements, requirementsFile } from "./Requirements.ts"
import { rowOf, section, tierA } from "./Section.ts"
import { checks, rows, sections } from "./Sections.ts"

const all = sections.flatMap((one) => one.rows)
const inOrder = (texts: Iterable<string>): ReadonlyArray<string> => [...texts].toSorted()

describe("sections", () => {
  it("[conformance.sections] follow the specification, row by row", () => {
    const lines = new Map<string, number>()
    for (const { id, section: title, line } of all) {
      expect(line, id).toBeGreaterThanOrEqual(lines.get(title) ?? 0)
      lines.set(title, line)
    }
    const titles = sections.map(({ title }) => title)
    const starts = titles.filter((title, at) => titles[at - 1] !== title)
    expect(new Set(starts).size).toBe(starts.length)
  })

  it("[conformance.sections] refuse a second row with an id", () => {
    const again = { "keys.secret.form": tierA(1, "again") }
    expect(() => section("Again", again)).toThrow("two rows are keys.secret.form")
  })

  it("[conformance.sections] name checks that there are", () => {
    const hosts = new Set(
      checks.flatMap(({ ids: [id], name }) => [
        id,
        ...(name === undefined ? [] : [`${id}#${name}`])
      ])
    )
    for (const { id, more } of all) {
      const named = [more.provedBy ?? []].flat()
      expect(
        named.filter((one) => !hosts.has(one) || one === id),
        id
      ).toEqual([])
    }
  })

  it("[conformance.sections] hold literals of one kind in a row, or those of another row", () => {
    const kinds = "boundary bucket error move keep shape file text route documented".split(" ")
    for (const { id, more } of all) {
      const held = kinds.filter((kind) => Object.hasOwn(more, kind))
      expect(held.length, id).toBeLessThanOrEqual(1)
      const own = ["outcome", "is", "numbers", "codes"].filter((name) => Object.hasOwn(more, name))
      const isOfOther = more.literalsOf !== undefined || more.sameAs !== undefined
      if (isOfOther) expect([...held, ...own], id).toEqual([])
    }
  })

  it("[conformance.requirements] requirements.json is what the rows say", () => {
    const path = new URL("../../requirements.json", import.meta.url)
    const told = "requirements.json is out of date: `npm run spec:requirements` writes it"
    expect(readFileSync(path, "utf8"), told).toBe(requirementsFile())
  })
})

describe("requirements", () => {
  it("[conformance.requirements] have an id of an area, in lower camel case between dots", () => {
    const ids = requirements.map(({ id }) => id)
    expect(ids.length).toBe(674)
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]*(\.[A-Za-z0-9_-]+)+$/.test(id))).toEqual([])
  })

  it("[conformance.requirements] are the same as another one, which stands for itself and needs nothing more", () => {
    const same = requirements.filter(({ sameAs }) => sameAs !== undefined)
    expect(same.length).toBe(31)
    for (const { id, sameAs = "" } of same) {
      const original = requirementOf(sameAs)
      expect(original.sameAs, id).toBeUndefined()
      expect(original.tier, id).not.toBe("D")
    }
  })

  it("[conformance.requirements] have a hash of each of their lines, and no other line has one", () => {
    const own = new Set(requirements.map(({ line }) => line))
    const recorded = JSON.parse(readFileSync(new URL("lines.json", import.meta.url), "utf8"))
    expect(Object.keys(recorded).map(Number)).toEqual([...own].toSorted((one, two) => one - two))
    expect(requirements.filter(({ sha }) => !/^[0-9a-f]{16}$/.test(sha))).toEqual([])
  })

  it("[conformance.requirements] point only at other lines that are some requirement's own", () => {
    const own = new Set(requirements.map(({ line }) => line))
    for (const { id, line, alsoLines = [] } of requirements) {
      expect(
        alsoLines.filter((also) => !own.has(also)),
        id
      ).toEqual([])
      expect(alsoLines, id).not.toContain(line)
    }
  })

  it("[conformance.requirements] need hooks that a listener or an adapter can have", () => {
    expect(inOrder(new Set(requirements.flatMap(({ hooks }) => hooks)))).toEqual([
      "address",
      "clock",
      "fixture",
      "listeners",
      "logs",
      "memory",
      "meters",
      "metrics",
      "outbox",
      "plan",
      "seed",
      "servers",
      "storage"
    ])
  })

  it("[conformance.requirements] of tier A need no hook, of tier B fixtures, of tier C a hook of the operator", () => {
    for (const { id, tier, hooks, features } of requirements) {
      const ofOperator = hooks.filter((hook) => hook !== "fixture")
      if (tier === "A") expect(hooks, id).toEqual([])
      if (tier === "B") expect(ofOperator, id).toEqual([])
      if (tier === "C") expect(ofOperator.length > 0 || features.includes("selfRun"), id).toBe(true)
      if (tier === "D") expect([...hooks, ...features], id).toEqual([])
    }
  })

  it("[conformance.requirements] that are decided or only information name the decision that is asked", () => {
    // Rows of physics name no decision: the specification says what their numbers are.
    for (const { id, level, tier, decisions, features } of requirements) {
      const isAsked = tier !== "D" && !features.includes("physics")
      if (level !== "must" && isAsked) expect(decisions.length, id).toBeGreaterThan(0)
      expect(
        decisions.filter((name) => !/^[DT]-[A-Z0-9]+$/.test(name)),
        id
      ).toEqual([])
    }
  })
})

describe("literals", () => {
  it("[conformance.rows] are documented where and only where nothing can be asked, with the reason", () => {
    for (const row of rows) {
      for (const id of row.ids) {
        expect(row.kind === "documented", id).toBe(requirementOf(id).tier === "D")
      }
      if (row.kind === "documented") expect(row.reason).toMatch(/^[A-Z].+\.$/)
    }
  })

  it("[conformance.rows] list every move of the table of states, and the refusals of its rows", () => {
    const [first, last] = [189, 202]
    for (let line = first; line <= last; line++) {
      const moves = rows.filter(
        (row) => row.kind === "move" && row.ids.some((id) => requirementOf(id).line === line)
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

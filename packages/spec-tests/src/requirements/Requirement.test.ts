import { describe, expect, it } from "vitest"

import { requirementOf, requirements } from "./Requirement.ts"

const inOrder = (texts: Iterable<string>): ReadonlyArray<string> => [...texts].toSorted()

describe("requirements", () => {
  it("[conformance.requirements] have an id each, of an area, in lower camel case between dots", () => {
    const ids = requirements.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
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

  it("[conformance.requirements] of one line have one hash of it, and of other lines another", () => {
    const hashes = new Map<number, Set<string>>()
    for (const { line, sha } of requirements) {
      hashes.set(line, (hashes.get(line) ?? new Set()).add(sha))
    }
    expect([...hashes].filter(([, shas]) => shas.size > 1)).toEqual([])
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
    // What a history of physics costs is no decision of ours.
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

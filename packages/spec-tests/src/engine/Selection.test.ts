import { describe, expect, it } from "vitest"

import type { Check } from "../check/Check.ts"
import { requirementOf, requirements } from "../sections/Requirements.ts"
import { allTiers, checksOf, meaningless, meant, selected } from "./Selection.ts"

describe("globs", () => {
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ["keys.secret.form", "keys.secret.form", true],
    ["keys", "keys.secret.form", true],
    ["keys.secret", "keys.secret.form", true],
    ["key", "keys.secret.form", false],
    ["keys.*", "keys.secret.form", true],
    ["keys.**", "keys.secret.form", true],
    ["keys.*", "keys", false],
    ["*.form", "keys.secret.form", true],
    ["keys.*.form", "keys.secret.form", true],
    ["keys.*.forms", "keys.secret.form", false],
    ["k*", "keys.secret.form", true],
    ["keys.s.cret", "keys.secret.form", false],
    ["keys.secret.f.*", "keys.secret.form", false],
    ["*", "anything", true],
    ["(", "(", true],
    ["keys+", "keyss", false]
  ]
  it.each(cases)("[C-91] %s, %s: %s", (glob, id, is) => {
    expect(meant(glob, id)).toBe(is)
  })

  it("[C-91] a glob that means nothing is found", () => {
    expect(meaningless(requirements, ["keys.*", "kyes.*", "nothing"])).toEqual([
      "kyes.*",
      "nothing"
    ])
  })
})

describe("a selection", () => {
  const all = { only: [], skip: [], tiers: allTiers }

  it("[C-91] has every requirement when no flag narrows it", () => {
    expect(selected(requirements, all)).toEqual(requirements)
  })

  it("[C-91] has the named ids of the named tiers, without the skipped ids", () => {
    const ids = selected(requirements, {
      only: ["keys", "auth"],
      skip: ["*.form"],
      tiers: ["A"] as const
    }).map(({ id }) => id)
    expect(ids).toContain("keys.secret.once")
    expect(ids).not.toContain("keys.secret.form")
    expect(ids).not.toContain("keys.secret.only-hash-stored")
    expect(ids.filter((id) => !/^(?:keys|auth)\./.test(id))).toEqual([])
  })

  it("[C-91] a requirement that repeats another one is asked by the checks of that one", () => {
    const check = (id: string): Check => ({
      ids: [id],
      title: id,
      run: () => Promise.resolve()
    })
    const checks = [check("state.socket.slow-consumer"), check("keys.id.form")]
    const found = checksOf(checks, [requirementOf("events.1008.slow")])
    expect(found.map(({ title }) => title)).toEqual(["state.socket.slow-consumer"])
  })
})

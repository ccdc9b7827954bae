import { checkedIds, wholeSuite } from "@atrium/spec-tests/engine/Suite"
import { readMutants } from "@atrium/spec-tests/mutants/Mutant"
import { requirementOf } from "@atrium/spec-tests/sections/Requirements"
import { rows } from "@atrium/spec-tests/sections/Sections"
import { expect, test } from "vitest"

import { mutantsFolder, ownMutants } from "./OwnMutants.ts"
import { patchSymbol } from "./PatchSymbol.ts"

const mutants = ownMutants()
/** The mutants of every run; among them each kind of part is broken. */
const often = mutants.filter(({ more }) => more !== true)
const killers = new Set(often.flatMap(({ killedBy }) => killedBy))

test.each(mutants)("[C-97] $id changes one place of $symbol", (mutant) => {
  expect(patchSymbol(mutant).source).not.toBe("")
})

test("[C-97] every mutant is killed by requirements that have a check", () => {
  const checked = checkedIds(wholeSuite)
  const unchecked = mutants.flatMap(({ id, killedBy }) =>
    killedBy.filter((one) => !checked.has(requirementOf(one).sameAs ?? one)).map((one) => [id, one])
  )
  expect(unchecked).toEqual([])
  expect(readMutants(mutantsFolder).map(({ id }) => id)).toEqual(mutants.map(({ id }) => id))
  expect(often.length).toBeGreaterThanOrEqual(60)
})

test.each(["boundary", "bucket", "error", "move", "keep", "shape", "file", "statement"])(
  "[C-97] a mutant breaks a row of the family %s",
  (kind) => {
    const own = rows.filter((row) => row.kind === kind)
    expect(own.some(({ ids }) => ids.some((id) => killers.has(id)))).toBe(true)
  }
)

test.each([
  "keys",
  "rooms",
  "auth",
  "scope",
  "error",
  "duration",
  "project",
  "caps",
  "state",
  "saves",
  "retention",
  "cli",
  "limits",
  "file",
  "queues",
  "boards",
  "lb",
  "leaderboard",
  "events"
])("[C-97] a mutant breaks something of %s", (area) => {
  expect([...killers].some((id) => id.startsWith(`${area}.`))).toBe(true)
})

import { readFileSync } from "node:fs"
import { join } from "node:path"

import { checkedIds, wholeSuite } from "@atrium/spec-tests/engine/Suite"
import { readMutants } from "@atrium/spec-tests/mutants/Mutant"
import { requirementOf } from "@atrium/spec-tests/requirements/Requirement"
import { rows } from "@atrium/spec-tests/tables/Tables"
import { expect, test } from "vitest"

import { mutated } from "./ApplyMutant.ts"
import { mutantsFolder, ownMutants } from "./OwnMutants.ts"

const repository = join(import.meta.dirname, "../..")
const mutants = ownMutants()
/** Those of every run: each kind of thing is broken there. */
const often = mutants.filter(({ more }) => more !== true)
const killers = new Set(often.flatMap(({ killedBy }) => killedBy))

test.each(mutants)("[C-97] $id changes one place of $file", (mutant) => {
  const source = readFileSync(join(repository, mutant.file), "utf8")
  expect(mutated(source, mutant)).not.toBe(source)
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
  "events"
])("[C-97] a mutant breaks something of %s", (area) => {
  expect([...killers].some((id) => id.startsWith(`${area}.`))).toBe(true)
})

test("[C-97] a text that is there never or twice is no place", () => {
  const edit = { id: "M-1", file: "x.ts", find: "a", replace: "b" }
  expect(mutated("cat", edit)).toBe("cbt")
  // Where the formatter breaks lines is no matter.
  const call = { ...edit, find: "f(a, b) ? c : d", replace: "x" }
  expect(mutated("y = f(\n  a,\n  b\n)\n  ? c\n  : d", call)).toBe("y = x")
  expect(() => mutated("y = f(a, bc) ? c : d", call)).toThrow("M-1: x.ts has its text 0 times")
  expect(() => mutated("dog", edit)).toThrow("M-1: x.ts has its text 0 times")
  expect(() => mutated("banana", edit)).toThrow("M-1: x.ts has its text 3 times")
  expect(() => mutated("cat", { ...edit, replace: "a" })).toThrow("M-1: it changes nothing")
})

import { Effect } from "effect"
import { expect, test } from "vitest"

import { migrationsOf } from "./Migrations.ts"

const step = { oldest: 1, change: Effect.void }

/** The tables of a noun that has these migrations. */
const noun = (...names: ReadonlyArray<string>) => ({
  migrations: Object.fromEntries(names.map((name) => [name, step]))
})

test("[C-270] the migrations of all nouns are put in the order of their numbers", () => {
  const migrations = migrationsOf([
    noun("0002_rooms", "0004_alarms"),
    noun(),
    noun("0003_keys", "0001_a")
  ])
  expect(Object.keys(migrations)).toEqual(["0001_a", "0002_rooms", "0003_keys", "0004_alarms"])
})

test.each([
  ["a gap", ["0001_a", "0003_c"], "migration 0003_c: its number must be 0002"],
  ["a number twice", ["0001_a", "0001_b"], "migration 0001_b: its number must be 0002"],
  ["a first number that is not 1", ["0002_a"], "migration 0002_a: its number must be 0001"],
  ["a number of other than four digits", ["1_a"], "migration 1_a: its number must be 0001"],
  ["a name without words", ["0001"], "migration 0001: its number must be 0001"]
])("[C-270] migrations with %s are refused", (_, names, message) => {
  expect(() => migrationsOf(names.map((name) => noun(name)))).toThrow(message)
})

import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgMigrator } from "@effect/sql-pg"
import { Effect, Layer } from "effect"

import type { Migration, NounTables } from "./NounTables.ts"
import { recordRequirement, requireKnownTables } from "./TableRequirements.ts"

/** Every migration by number and name, in order. */
export type Migrations = Readonly<Record<string, Migration>>

/**
 * Numbers that are given away and have not landed. A database that has run a later number never runs
 * them: the set is empty before a version is published.
 */
const awaited: ReadonlySet<number> = new Set<number>([28])

const numberOf = (name: string): number => Number.parseInt(name, 10)

/**
 * The migrations of all nouns in one order. Errors: `Error` when two have the same number, when a
 * number is left out, or when a name is not four digits and words.
 */
export const migrationsOf = (nouns: ReadonlyArray<Pick<NounTables, "migrations">>): Migrations => {
  const named = nouns
    .flatMap(({ migrations }) => Object.entries(migrations))
    .toSorted(([a], [b]) => numberOf(a) - numberOf(b))
  let number = 0
  for (const [name] of named) {
    number += 1
    while (awaited.has(number) && numberOf(name) !== number) number += 1
    const expected = String(number).padStart(4, "0")
    if (!/^\d{4}(?:_[a-z]+)+$/.test(name) || !name.startsWith(expected)) {
      throw new Error(
        `migration ${name}: its number must be ${expected}; number migrations 0001, 0002, …`
      )
    }
  }
  return Object.fromEntries(named)
}

/** The migration that made the table of requirements; older programs do not read it. */
const firstRecorded = 6

const newestOf = (steps: Migrations): number => Math.max(...Object.keys(steps).map(numberOf))

const recorded = (name: string, { oldest, change }: Migration) =>
  numberOf(name) < firstRecorded
    ? change
    : Effect.andThen(change, recordRequirement(numberOf(name), oldest))

/**
 * Brings the database to the tables that a program needs, and refuses a program that is too old for
 * the tables that it finds. Two services may start at once.
 */
export const migrationsLayer = (steps: Migrations) =>
  Layer.effectDiscard(
    Effect.andThen(
      PgMigrator.run({
        loader: PgMigrator.fromRecord(
          Object.fromEntries(
            Object.entries(steps).map(([name, step]) => [name, recorded(name, step)])
          )
        )
      }),
      requireKnownTables(newestOf(steps))
    )
  ).pipe(Layer.provide(NodeServices.layer))

/** Refuses this program when a newer one has migrated to tables on which it cannot run. */
export const requireTables = (steps: Migrations) => requireKnownTables(newestOf(steps))

import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import { makeTestDatabase } from "../../../../scripts/makeTestDatabase.ts"
import { type Migrations, migrationsLayer, migrationsOf, requireTables } from "./Migrations.ts"
import type { Migration } from "./NounTables.ts"
import { excludedBy } from "./TableRequirements.ts"
import { allTables } from "./testing/AllTables.ts"

const migrations = migrationsOf(allTables)

it("[C-210] the newest migration that excludes a program is named", () => {
  const unknown = [
    { migrationId: 7, oldest: 7, madeBy: "0.2.0" },
    { migrationId: 9, oldest: 8, madeBy: "0.4.0" },
    { migrationId: 10, oldest: 6, madeBy: "0.5.0" }
  ]
  expect([5, 6, 7, 8, 9].map((known) => excludedBy(known, unknown)?.migrationId ?? null)).toEqual([
    10,
    9,
    9,
    null,
    null
  ])
})

const newest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
const next = newest + 1

/** What a program of today says on a database that a program with one more migration has migrated. */
const refusalAfter = (step: Migration) =>
  Effect.gen(function* () {
    const made = yield* Effect.acquireRelease(Effect.promise(makeTestDatabase), ({ drop }) =>
      Effect.promise(drop)
    )
    const sql = yield* Layer.build(
      PgClient.layer({ url: Redacted.make(made.url), maxConnections: 2 })
    )
    const start = (steps: Migrations) =>
      Layer.build(migrationsLayer(steps)).pipe(
        Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "started" }),
        Effect.provideContext(sql)
      )
    const newer = { ...migrations, [`${next}_later`]: step }
    const first = [yield* start(migrations), yield* start(newer), yield* start(newer)]
    expect(first).toEqual(["started", "started", "started"])
    const running = yield* requireTables(migrations).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "runs on" }),
      Effect.provideContext(sql)
    )
    const without = Effect.provideContext(
      Effect.flatMap(
        SqlClient.SqlClient,
        (client) => client`delete from migration_requirements where migration_id = ${next}`
      ),
      sql
    )
    const again = yield* start(migrations)
    yield* without
    return { again, running, unsaid: yield* start(migrations) }
  })

it.effect("[C-210] a program runs on tables of a newer one that says so, and on no others", () =>
  Effect.gen(function* () {
    const additive = yield* refusalAfter({ oldest: newest, change: Effect.void })
    expect([additive.again, additive.running]).toEqual(["started", "runs on"])
    const excluding = yield* refusalAfter({ oldest: next, change: Effect.void })
    const sentence =
      `Atrium 0.1.0 brought this database to migration ${next}, which needs a program that knows ` +
      `migration ${next}; this Atrium 0.1.0 knows ${newest}: start a newer Atrium.`
    expect([excluding.again, excluding.running]).toEqual([sentence, sentence])
    // A migration without a requirement may have changed anything.
    const unsaid = sentence.replace("0.1.0 brought", "of an unknown version brought")
    expect([additive.unsaid, excluding.unsaid]).toEqual([unsaid, unsaid])
  })
)

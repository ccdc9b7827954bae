import { migrationsLayer, migrationsOf } from "@atrium/actors/store/Migrations"
import { allTables } from "@atrium/actors/store/testing/AllTables"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"

/** Makes the tables of a service in an empty database, as they were before the newest migration. */
export const makeOlderTables = (databaseUrl: string): Promise<void> => {
  const steps = Object.entries(migrationsOf(allTables)).slice(0, -1)
  return Layer.build(
    migrationsLayer(Object.fromEntries(steps)).pipe(
      Layer.provide(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 1 }))
    )
  ).pipe(Effect.scoped, Effect.asVoid, Effect.runPromise)
}

import { join } from "node:path"

import { migrationsLayer, migrationsOf, requireTables } from "@atrium/actors/store/Migrations"
import { innermostReason } from "@atrium/domain/shared/Innermost"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { keepEmbeddedPostgres } from "@atrium/postgres/KeptPostgres"
import { MiB } from "@atrium/wire/limits/Limit"
import { Context, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import { features } from "../features.ts"
import { type ServiceConfig, StartRefused, StoreLost } from "./ServiceConfig.ts"
import { storeClient } from "./StoreConnections.ts"

/** The largest object in one message of the database: a snapshot or a bundle, doubled as hex. */
const largestMessage = 160 * MiB

/** Where the service's PostgreSQL is. */
export interface Database {
  readonly url: Redacted.Redacted
  /** Fails when there is no hope that it comes back; one that was given is waited for. */
  readonly lost: Effect.Effect<never, StoreLost>
}

/** The PostgreSQL that was given, or the embedded one, started now and kept running. */
export const openDatabase = Effect.fn("start.database")(function* (config: ServiceConfig) {
  if (Option.isSome(config.databaseUrl)) {
    const given: Database = { url: config.databaseUrl.value, lost: Effect.never }
    return given
  }
  const postgres = yield* keepEmbeddedPostgres({
    dataDir: join(config.dataDir, "postgres"),
    durable: true
  }).pipe(Effect.mapError(({ message }) => new StartRefused({ message })))
  const embedded: Database = {
    url: postgres.url,
    lost: Effect.mapError(postgres.lost, ({ message }) => new StoreLost({ message }))
  }
  return embedded
})

/** A pool of connections, proven to reach the database. */
export const connect = (url: Redacted.Redacted, maxConnections: number) =>
  Layer.build(
    storeClient({
      url,
      maxConnections,
      maxMessageSize: largestMessage,
      connectTimeout: "5 seconds",
      applicationName: "atrium"
    })
  ).pipe(
    Effect.tap((services) => Context.get(services, SqlClient.SqlClient)`select 1`),
    Effect.mapError(
      (error) =>
        new StartRefused({
          message: `The database at ${placeOf(url)} does not answer: ${innermostReason(error)}.`
        })
    )
  )

const migrations = migrationsOf(features.map(({ tables }) => tables))

/** Brings the database to the tables of this program, or refuses to run on those that it finds. */
export const prepareTables = Layer.build(migrationsLayer(migrations)).pipe(
  Effect.asVoid,
  Effect.mapError(
    (error) =>
      new StartRefused({
        message:
          error._tag === "ProgramTooOld"
            ? error.message
            : `The tables cannot be prepared: ${error.message}.`
      })
  )
)

/**
 * Looks again and again whether a newer program has changed the tables; fails when this one cannot
 * run on them any more. `StoreWatch` handles a store that does not answer.
 */
export const untilTooOld: Effect.Effect<never, StoreLost, SqlClient.SqlClient> = Effect.forkDetach(
  requireTables(migrations)
).pipe(
  // A query that hangs is left to end by itself, and no other one is sent meanwhile.
  Effect.flatMap(Fiber.join),
  Effect.catch((error) =>
    error._tag === "ProgramTooOld"
      ? Effect.fail(new StoreLost({ message: error.message }))
      : Effect.void
  ),
  Effect.andThen(Effect.sleep(StoreLimits.tablesLook.ms)),
  Effect.forever
)

/** Host, port and name only: the rest of the address is secret. */
const placeOf = (url: Redacted.Redacted): string => {
  try {
    const { host, pathname } = new URL(Redacted.value(url))
    return `${host}${pathname}`
  } catch {
    return "DATABASE_URL (which is no address)"
  }
}

import { Effect, Option, type Scope } from "effect"
import { SqlClient } from "effect/sql"

import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

/** "atrium", as a number: the advisory lock of a runner that is alone on its database. */
const lockId = 107_160_215_671

/**
 * A runner that is alone owns every room of its database: a second one would start them all again.
 * The lock lives as long as its connection, so a killed service leaves nothing to clean up.
 */
export const beTheOnlyRunner = (
  config: ServiceConfig
): Effect.Effect<void, StartRefused, SqlClient.SqlClient | Scope.Scope> =>
  Option.isSome(config.runnerAddress)
    ? Effect.void
    : Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const connection = yield* sql.reserve
        const rows = yield* connection.executeUnprepared(
          `select pg_try_advisory_lock(${lockId}) as locked`,
          [],
          undefined
        )
        if (rows[0]?.["locked"] !== true) {
          return yield* new StartRefused({
            message:
              "Another Atrium runs on this database; stop it, or give every runner an ATRIUM_RUNNER_ADDRESS."
          })
        }
      }).pipe(
        Effect.catchTag("SqlError", ({ message }) =>
          Effect.fail(new StartRefused({ message: `The database cannot be locked: ${message}.` }))
        )
      )

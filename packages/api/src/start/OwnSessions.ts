import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

const refusal =
  "DATABASE_URL leads to a pooler that shares sessions, such as PgBouncer with pool_mode = transaction; " +
  "set pool_mode = session, or name PostgreSQL itself."

/**
 * Refuses a database behind a pooler that lends a session for a transaction or a statement: the locks of
 * runners belong to sessions. Two connections that are held at once must have a session each, and keep it.
 * Source: C-463.
 */
export const ownSessions = Effect.fnUntraced(function* (
  config: Pick<ServiceConfig, "databaseUrl">
) {
  if (Option.isNone(config.databaseUrl)) return
  const sql = yield* SqlClient.SqlClient
  const sessions = yield* Effect.scoped(
    Effect.gen(function* () {
      const one = yield* sql.reserve
      const other = yield* sql.reserve
      return yield* Effect.forEach([one, other, one], (connection) =>
        connection.executeUnprepared("select pg_backend_pid() as pid", [], undefined)
      )
    })
  ).pipe(
    Effect.mapError(
      ({ message }) =>
        new StartRefused({ message: `The database does not say its sessions: ${message}.` })
    )
  )
  const [first, other, again] = sessions.map(([row]) => Object(row).pid)
  if (first === other || first !== again) return yield* new StartRefused({ message: refusal })
})

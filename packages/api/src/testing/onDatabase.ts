import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"

/** Runs one statement in the service's database, past the service. */
export const onDatabase = <A extends object>(
  databaseUrl: string,
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>
): Promise<ReadonlyArray<A>> =>
  PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 1 }).pipe(
    Effect.flatMap(statement),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

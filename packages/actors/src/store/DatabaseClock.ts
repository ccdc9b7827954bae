import type { SqlClient } from "effect/sql"

/** The moment of the database's own clock, in ms: the clocks of two machines need not agree. */
export const databaseNowMs = (sql: SqlClient.SqlClient) =>
  sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The address of a living runner that does not have its objects at this place, or does not say where it has them;
 * `null` = every living runner that has an address has them there.
 */
export const runnerElsewhere = Effect.fn("ObjectRunners.elsewhere")(function* (place: string) {
  const sql = yield* SqlClient.SqlClient
  const [other] = yield* sql<{ readonly runner: string }>`
    select runner from runners where objects_url is distinct from ${place}
      and session in (select application_name from pg_stat_activity)
    order by runner limit 1`
  return other?.runner ?? null
})

import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"

/** More than any limit counts to. */
const rowsMax = 2_000_000

const Seed = Schema.Struct({
  project: Schema.NonEmptyString,
  /** What is made: players with stored fields, ratings, or the number of the project's rows of KV alone. */
  counter: Schema.Literals(["players", "ratings", "kvRows"]),
  count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: rowsMax }))
})

/** Rows that nobody wrote one by one: limits that count to thousands are reached in one step. */
export const hooks = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const sql = yield* SqlClient.SqlClient
  const verbs: Hooks = {
    seed: verb(Seed, ({ project, counter, count }) =>
      Effect.gen(function* () {
        const row = Option.getOrNull(yield* projects.find(project))
        if (row === null) {
          return yield* new HookRefused({ message: "project: no project has that id" })
        }
        const rows = { projectId: row.projectId, count, nowMs: yield* Clock.currentTimeMillis }
        yield* Effect.orDie(seeds[counter](sql, rows))
        return { counter, count }
      })
    )
  }
  return verbs
})

interface SeededRows {
  readonly projectId: string
  readonly count: number
  readonly nowMs: number
}

const players = (sql: SqlClient.SqlClient, { projectId, count, nowMs }: SeededRows) => sql`
  insert into players (project_id, player_id, fields, written_at_ms)
  select ${projectId}, 'seed-' || n, '', ${nowMs}
  from generate_series(1, ${count}::integer) as n
  on conflict do nothing`

/** Only the count: what is asked of it is that it is full. */
const ratings = (sql: SqlClient.SqlClient, { projectId, count }: SeededRows) => sql`
  insert into rating_counts as known (project_id, ratings) values (${projectId}, ${count})
  on conflict (project_id) do update set ratings = known.ratings + excluded.ratings`

const kvRows = (sql: SqlClient.SqlClient, { projectId, count }: SeededRows) => sql`
  insert into player_kv_sums as known values (${projectId}, 0, ${count}, 0)
  on conflict (project_id, part) do update set entries = known.entries + excluded.entries`

const seeds = { players, ratings, kvRows } as const

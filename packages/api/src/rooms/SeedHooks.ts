import { type SeededScores, seedScores } from "@atrium/actors/boards/BoardSeeds"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { periodAt } from "@atrium/domain/boards/BoardPeriods"
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"

/** More than any limit counts to. */
const rowsMax = 2_000_000

const Seed = Schema.Struct({
  project: Schema.NonEmptyString,
  /** The rows that are made; of KV only their number. */
  counter: Schema.Literals(["players", "ratings", "kvRows", "scores"]),
  count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: rowsMax })),
  /** For `scores`: a board without scores in its current period, and without buckets. */
  board: Schema.optionalKey(Schema.String)
})

const SeededRating = Schema.Struct({
  project: Schema.NonEmptyString,
  queue: Schema.NonEmptyString,
  player: Schema.NonEmptyString,
  rating: Schema.Finite
})

const SeededRecording = Schema.Struct({
  project: Schema.NonEmptyString,
  bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))
})

/** Rows that nobody wrote one by one: limits that count to thousands are reached in one step. */
export const hooks = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const sql = yield* SqlClient.SqlClient
  const verbs: Hooks = {
    "seed/rating": verb(SeededRating, ({ project, queue, player, rating }) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into ratings (project_id, queue, player_id, rating, deviation, rated_at_ms)
          values (${project}, ${queue}, ${player}, ${rating}, 50, ${nowMs})
          on conflict (project_id, player_id, queue) do update set rating = excluded.rating`)
        return { player, rating }
      })
    ),
    "seed/recording": verb(SeededRecording, ({ project, bytes }) =>
      Effect.map(
        Effect.orDie(sql`
          update replays set bytes = ${bytes}
          where project_id = ${project} and running returning replay_id`),
        (rows) => ({ recordings: rows.length })
      )
    ),
    seed: verb(Seed, ({ project, counter, count, board = "" }) =>
      Effect.gen(function* () {
        const row = Option.getOrNull(yield* projects.find(project))
        if (row === null) {
          return yield* new HookRefused({ message: "project: no project has that id" })
        }
        const { projectId } = row
        const rows = { projectId, count, nowMs: yield* Clock.currentTimeMillis }
        if (counter === "scores") {
          const period = periodAt(row.boards[board]?.period, rows.nowMs).name
          yield* scores(sql, { ...rows, board, period })
        } else {
          yield* Effect.orDie(seeds[counter](sql, rows))
        }
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
const scores = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { board, ...seeded }: Omit<SeededScores, "boardId"> & { readonly board: string }
) {
  const [found] = yield* Effect.orDie(sql<{ readonly boardId: number }>`
    select board_id::double precision as "boardId" from boards
    where project_id = ${seeded.projectId} and board = ${board} and not removed`)
  if (found === undefined) {
    return yield* new HookRefused({ message: "board: the project declares no such board" })
  }
  return yield* Effect.orDie(sql.withTransaction(seedScores(sql, { ...seeded, ...found })))
})

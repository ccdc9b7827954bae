import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Scores of an empty series that nobody submitted, for tests and measurements of many. */
export interface SeededScores {
  readonly boardId: number
  readonly projectId: string
  readonly period: string
  readonly count: number
  readonly nowMs: number
}

/** Writes scores of the players `seed-1`, `seed-2`, … in the order of their ranks, as submits would have. */
export const seedScores = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { boardId, projectId, period, count, nowMs }: SeededScores
) {
  // Steps as splits leave them: half full.
  const stepped = BoardLimits.boardStep.max / 2
  const [made] = yield* sql<{ readonly seriesId: number }>`
    insert into board_series (project_id, board_id, period, bucket, starts_at_ms)
    values (${projectId}, ${boardId}, ${period}, '', ${nowMs})
    returning series_id::double precision as "seriesId"`
  const seriesId = made?.seriesId ?? 0
  yield* sql`insert into scores (series_id, player, key, at_ms)
    select ${seriesId}::bigint, 'seed-' || n, n, ${nowMs}::bigint
    from generate_series(1, ${count}::integer) n`
  yield* sql`insert into score_steps (series_id, key, at_ms, player, scores)
    select ${seriesId}::bigint,
      case n when 1 then ${Number.MIN_SAFE_INTEGER}::bigint else n end,
      case n when 1 then 0 else ${nowMs}::bigint end,
      case n when 1 then '' else 'seed-' || n end,
      least(${stepped}::integer, ${count}::integer - n + 1)
    from generate_series(1, greatest(${count}::integer, 1), ${stepped}::integer) n`
  yield* sql`update score_counts set version = version + 1, scores = scores + ${count}::bigint
    where project_id = ${projectId}`
  return seriesId
})

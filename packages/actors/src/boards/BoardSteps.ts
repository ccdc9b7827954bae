import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** A part of the order of a series, from its first possible score to that of the next step. */
export interface CountedStep {
  readonly seriesId: number
  readonly key: number
  readonly atMs: number
  readonly playerId: string
  /** Scores in it. */
  readonly scores: number
}

interface OfProject {
  readonly sql: SqlClient.SqlClient
  readonly projectId: string
}

/**
 * Splits steps that count too many scores, and joins those that count few with the step before them: a
 * rank adds up few steps and counts few scores, however a board's scores move. Source: C-582.
 */
export const balanceSteps = Effect.fnUntraced(function* (
  of: OfProject,
  steps: ReadonlyArray<CountedStep | { readonly seriesId: null }>
) {
  const { min, max } = BoardLimits.boardStep
  for (const step of steps) {
    if (step.seriesId === null) continue
    // The first step of a series has none before it.
    if (step.scores > max || (step.scores < min && step.playerId !== "")) {
      yield* of.sql.withTransaction(balance(of, step))
    }
  }
})

/** Nobody else writes scores of the project until the transaction ends. */
export const lockScores = ({ sql, projectId }: OfProject) => sql`
  update score_counts set version = version + 1 where project_id = ${projectId}`

const balance = Effect.fnUntraced(function* (of: OfProject, step: CountedStep) {
  yield* lockScores(of)
  const [now] = yield* of.sql<{ readonly scores: number }>`
    select scores from score_steps where ${isStep(of.sql, step)}`
  if (now === undefined) return
  const { min, max } = BoardLimits.boardStep
  if (now.scores > max) yield* split(of.sql, { ...step, scores: now.scores })
  else if (now.scores < min) yield* join(of.sql, step)
})

const isStep = (sql: SqlClient.SqlClient, { seriesId, key, atMs, playerId }: CountedStep) => sql`
  series_id = ${seriesId}::bigint
    and (key, at_ms, player) = (${key}::bigint, ${atMs}::bigint, ${playerId})`

const split = (sql: SqlClient.SqlClient, step: CountedStep) => {
  const { seriesId, key, atMs, playerId, scores } = step
  const kept = Math.floor(scores / 2)
  return sql`
    with next as (
      insert into score_steps (series_id, key, at_ms, player, scores)
      select series_id, key, at_ms, player, ${scores - kept}::integer from scores
      where series_id = ${seriesId}::bigint
        and (key, at_ms, player) >= (${key}::bigint, ${atMs}::bigint, ${playerId})
      order by key, at_ms, player offset ${kept}::integer limit 1
    )
    update score_steps set scores = ${kept}::integer where ${isStep(sql, step)}`
}

const join = (sql: SqlClient.SqlClient, step: CountedStep) => {
  const { seriesId, key, atMs, playerId } = step
  return sql`
    with gone as (
      delete from score_steps where ${isStep(sql, step)} returning scores
    ), previous as (
      select key, at_ms, player from score_steps where series_id = ${seriesId}::bigint
        and (key, at_ms, player) < (${key}::bigint, ${atMs}::bigint, ${playerId})
      order by key desc, at_ms desc, player desc limit 1
    )
    update score_steps step set scores = step.scores + gone.scores from gone, previous
    where step.series_id = ${seriesId}::bigint and step.key = previous.key
      and step.at_ms = previous.at_ms and step.player = previous.player`
}

import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

import { lockScores } from "./BoardSteps.ts"
import { currentPeriod } from "./BoardWrites.ts"

const most = BoardLimits.boardSweepRows.max

/** Removes what is no longer kept, in parts. Like a batch of submits, a part locks its project's count. */
export const removingScores = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const marked = yield* Effect.orDie(markSeries(sql, nowMs))
    const removed = yield* Effect.orDie(sql.withTransaction(removeSeries(sql)))
    const boards = yield* Effect.orDie(sql.withTransaction(removeBoard(sql)))
    const ids = yield* Effect.orDie(removeIds(sql, nowMs))
    return marked.length > 0 || removed || boards || ids.length === most
  }).pipe(Effect.withSpan("BoardStore.removeSome"))

/** The series of removed boards, and those of past periods beyond the newest that a board keeps. */
const markSeries = (sql: SqlClient.SqlClient, nowMs: number) => sql`
  with past as (
    select board_id, period, min(starts_at_ms) as starts_at_ms
    from board_series join boards using (board_id)
      join projects on projects.project_id = boards.project_id
    where not board_series.removed and not boards.removed
      and period <> ${currentPeriod(sql, nowMs)}
    group by board_id, period
  ), ranked as (
    select board_id, period,
      row_number() over (partition by board_id order by starts_at_ms desc, period desc) as nth
    from past
  ), over as (
    select series.series_id from board_series series
      join boards using (board_id)
      join projects on projects.project_id = boards.project_id
      left join ranked using (board_id, period)
    where not series.removed and (boards.removed or ranked.nth > coalesce(
      (projects.boards -> boards.board ->> 'keep')::integer,
      ${BoardLimits.boardKeepDefault.max}::integer))
    order by series.series_id limit ${most}::integer
  )
  update board_series set removed = true from over where board_series.series_id = over.series_id
  returning 1`

/** @returns whether there was a series to remove from */
const removeSeries = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* sql<{ readonly seriesId: number; readonly projectId: string }>`
    select series_id::double precision as "seriesId", project_id as "projectId"
    from board_series where removed order by series_id limit 1`
  if (found === undefined) return false
  const { seriesId, projectId } = found
  yield* lockScores({ sql, projectId })
  const [gone] = yield* sql<{ readonly rows: number }>`
    with gone as (
      delete from scores where series_id = ${seriesId}::bigint and player in (
        select player from scores where series_id = ${seriesId}::bigint limit ${most}::integer)
      returning 1
    ), counted as (
      select count(*)::integer as rows from gone
    ), total as (
      update score_counts set scores = scores - rows from counted where project_id = ${projectId}
    )
    select rows from counted`
  if ((gone?.rows ?? 0) === most) return true
  yield* sql`delete from score_steps where series_id = ${seriesId}::bigint`
  yield* sql`delete from board_series where series_id = ${seriesId}::bigint`
  return true
})

/** @returns whether a removed board without scores was there */
const removeBoard = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const empty = sql`boards.removed and not exists (
    select 1 from board_series series where series.board_id = boards.board_id)`
  const [found] = yield* sql<{ readonly projectId: string }>`
    select project_id as "projectId" from boards where ${empty} limit 1`
  if (found === undefined) return false
  yield* lockScores({ sql, projectId: found.projectId })
  yield* sql`delete from boards where project_id = ${found.projectId} and ${empty}`
  return true
})

const removeIds = (sql: SqlClient.SqlClient, nowMs: number) => sql`
  delete from score_ids where (project_id, digest) in (
    select project_id, digest from score_ids
    where at_ms <= ${nowMs - BoardLimits.submitIdKept.ms} limit ${most}::integer)
  returning 1`

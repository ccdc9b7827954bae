import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

import type { RankedScore, SeriesName } from "./BoardRows.ts"

type ScoreRow = Omit<RankedScore, "rank">

interface AroundRow extends ScoreRow {
  /** Scores before that of the player who was asked for. */
  readonly before: number
}

/** Reads of a board, each of one statement: what it shows was so at one moment. */
export const readingScores = (sql: SqlClient.SqlClient) => {
  const seriesOf = ({ projectId, board, period, bucket }: SeriesName) => sql`
    select series_id from board_series join boards using (board_id)
    where boards.project_id = ${projectId} and boards.board = ${board} and not boards.removed
      and not board_series.removed and period = ${period} and bucket = ${bucket}`
  const columns = sql`player as "playerId", key::double precision as key,
    at_ms::double precision as "atMs"`

  const top = Effect.fn("BoardStore.top")(function* (of: SeriesName, limit: number) {
    // A bare `key` would be the converted column of the answer, which has no index: all scores would be sorted.
    const rows = yield* Effect.orDie(sql<ScoreRow>`
      select ${columns} from scores where series_id = (${seriesOf(of)})
      order by scores.key, at_ms, player limit ${limit}::integer`)
    return rows.map((row, index) => ({ rank: index + 1, ...row }))
  })

  const around = Effect.fn("BoardStore.around")(function* (
    of: SeriesName,
    { playerId, each }: { readonly playerId: string; readonly each: number }
  ) {
    // A rank adds up the steps before that of the player, and counts within this one.
    const rows = yield* Effect.orDie(sql<AroundRow>`
      with me as materialized (
        select series_id, key, at_ms, player from scores
        where series_id = (${seriesOf(of)}) and player = ${playerId}
      ), step as materialized (
        select step.* from me cross join lateral (
          select key, at_ms, player from score_steps
          where series_id = me.series_id
            and (key, at_ms, player) <= (me.key, me.at_ms, me.player)
          order by key desc, at_ms desc, player desc limit 1
        ) step
      ), rank as materialized (
        select (
          select coalesce(sum(steps.scores), 0) from score_steps steps
          where steps.series_id = me.series_id
            and (steps.key, steps.at_ms, steps.player) < (step.key, step.at_ms, step.player)
        ) + (
          select count(*) from scores inside
          where inside.series_id = me.series_id
            and (inside.key, inside.at_ms, inside.player) >=
              (step.key, step.at_ms, step.player)
            and (inside.key, inside.at_ms, inside.player) < (me.key, me.at_ms, me.player)
        ) as before
        from me, step
      ), shown as (
        select above.* from me cross join lateral (
          select key, at_ms, player from scores where series_id = me.series_id
            and (key, at_ms, player) < (me.key, me.at_ms, me.player)
          order by key desc, at_ms desc, player desc limit ${each}::integer
        ) above
        union all
        select below.* from me cross join lateral (
          select key, at_ms, player from scores where series_id = me.series_id
            and (key, at_ms, player) >= (me.key, me.at_ms, me.player)
          order by key, at_ms, player limit ${each + 1}::integer
        ) below
      )
      select ${columns}, rank.before::double precision as before from shown, rank
      order by shown.key, shown.at_ms, shown.player`)
    const mine = rows.findIndex((row) => row.playerId === playerId)
    return rows.map(({ before, ...row }, index) => ({ rank: before + 1 + index - mine, ...row }))
  })

  return { top, around }
}

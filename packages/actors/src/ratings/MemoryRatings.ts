import { afterIdle, type Rating } from "@atrium/wire/ratings/Glicko"
import { RatingLimits } from "@atrium/wire/ratings/RatingLimits"

import { MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import {
  movedBy,
  type RatingReport,
  type RatingsByPlayer,
  type TakenReport
} from "./RatingReport.ts"

interface RatingRow extends Rating, Pool {
  readonly playerId: string
  readonly ratedAtMs: number
}

interface Pool {
  readonly projectId: string
  readonly queue: string
}

/** The ratings of all projects, by `<project>/<queue>/<player>`: neither of the first two holds a slash. */
export const ratingTable = new MemoryTable<RatingRow>()

/** When each report was counted, by `<project>/<room>/<id>`. */
export const reportTable = new MemoryTable<number>()

/** How many ratings each project has. */
export const ratingCountTable = new MemoryTable<number>()

const keyOf = ({ projectId, queue }: Pool, playerId: string): string =>
  `${projectId}/${queue}/${playerId}`

/** What the table in memory has of one player. */
export const ratingRows = ratingTable.playerRows({
  player: ({ projectId, playerId }) => ({ projectId, playerId }),
  columns: ({ queue, rating, deviation, ratedAtMs }) => ({
    queue,
    rating,
    deviation,
    rated_at_ms: ratedAtMs
  }),
  moved: (row, { playerId }) => [keyOf(row, playerId), { ...row, playerId }]
})

/** The queries of `RatingStore` in memory. */
export const memoryRatings = (tables: MemoryTables) => {
  const [rows, reports] = [ratingTable.rowsIn(tables), reportTable.rowsIn(tables)]
  const counts = ratingCountTable.rowsIn(tables)

  const of = (pool: Pool, players: ReadonlyArray<string>, nowMs: number): RatingsByPlayer =>
    new Map(
      players.flatMap((player) => {
        const row = rows.get(keyOf(pool, player))
        return row === undefined ? [] : [[player, afterIdle(row, nowMs - row.ratedAtMs)]]
      })
    )

  return {
    of,
    /** @returns `null` = the project would have more than `most` ratings, and has not so many yet */
    report: (
      report: RatingReport,
      { nowMs, most }: { readonly nowMs: number; readonly most: number }
    ): TakenReport | null => {
      const { projectId, roomId, reportId, results } = report
      const players = results.map(({ player }) => player)
      const before = of(report, players, nowMs)
      const reportKey = `${projectId}/${roomId}/${reportId}`
      if (reports.has(reportKey)) return { counted: false, ratings: before }
      const added = players.length - before.size
      const count = (counts.get(projectId) ?? 0) + added
      if (added > 0 && count > most) return null
      const ratings = movedBy(report, before)
      reports.set(reportKey, nowMs)
      counts.set(projectId, count)
      for (const [playerId, rating] of ratings) {
        const row = { projectId, queue: report.queue, playerId, ...rating, ratedAtMs: nowMs }
        rows.set(keyOf(report, playerId), row)
      }
      return { counted: true, ratings }
    },
    removeOld: (nowMs: number): number => {
      const old = [...reports]
        .filter(([, atMs]) => atMs <= nowMs - RatingLimits.ratingReportKept.ms)
        .slice(0, RatingLimits.ratingSweepBatch.max)
      for (const [key] of old) reports.delete(key)
      return old.length
    }
  }
}

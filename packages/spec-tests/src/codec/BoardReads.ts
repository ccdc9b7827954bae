import type { BoardAnswer, BoardAsked } from "./Codecs.ts"

/** D-34. */
export const boardPath = (
  project: string,
  { board, around, most, bucket, period }: BoardAsked
): string => {
  const place = around === undefined ? "top" : `around/${encodeURIComponent(around)}`
  const query = new URLSearchParams({
    project,
    ...(most === undefined ? {} : { [around === undefined ? "limit" : "each"]: String(most) }),
    ...(bucket === undefined ? {} : { bucket }),
    ...(period === undefined ? {} : { period })
  })
  return `/v1/leaderboard/${board}/${place}?${query}`
}

/** D-34. */
export const boardRead = (json: unknown): BoardAnswer | null => {
  const { period, rows }: { period?: unknown; rows?: unknown } = Object(json)
  if (!Array.isArray(rows) || (period !== null && typeof period !== "string")) return null
  return {
    period,
    rows: rows.map((row) => {
      const { rank, playerId, score } = Object(row)
      return { rank: Number(rank), player: String(playerId), score: Number(score) }
    })
  }
}

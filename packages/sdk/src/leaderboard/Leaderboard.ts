import type { Client } from "../client/Client.ts"
import { fieldsOf, notOfForm, openEndpointsOf, readOpen } from "../client/OpenEndpoints.ts"

/** A player's score. Source: D-34. */
export interface BoardRow {
  /** 1 is the first; of equal scores the earlier one. */
  readonly rank: number
  readonly playerId: string
  readonly score: number
  /** Since when the player has this score. */
  readonly at: Date
}

/** Scores of a board, the first one first. */
export interface BoardScores {
  readonly board: string
  /** The name by which the period can be read again; `null` = the board has no periods. */
  readonly period: string | null
  readonly rows: ReadonlyArray<BoardRow>
}

interface Series {
  /** The current one when left out. */
  readonly period?: string
  /** On a board that has buckets, and only there. */
  readonly bucket?: string
}

/** Which of the first scores are read. */
export interface BoardTop extends Series {
  /** 1 to 100; 10 when left out. */
  readonly limit?: number
}

/** The scores around a player. */
export interface BoardAround extends Series {
  readonly playerId: string
  /** Neighbours on each side, 1 to 25; 5 when left out. */
  readonly each?: number
}

/**
 * Reads the first scores of a board. An address may read 120 times a minute, 30 times at once.
 *
 * Errors: `RequestError` with the code of the service, such as `E_BOARD_UNKNOWN` and `E_RATE_LIMITED`, or
 * `E_UNREACHABLE`.
 */
export const top = (
  client: Client,
  board: string,
  { limit, ...series }: BoardTop = {}
): Promise<BoardScores> => read(client, `${encodeURIComponent(board)}/top`, { limit, ...series })

/**
 * Reads a player's score between its neighbours; no rows when the player has no score. Rates and errors:
 * as {@link top}.
 */
export const around = (
  client: Client,
  board: string,
  { playerId, each, ...series }: BoardAround
): Promise<BoardScores> => {
  const place = `${encodeURIComponent(board)}/around/${encodeURIComponent(playerId)}`
  return read(client, place, { each, ...series })
}

interface Asked extends Series {
  readonly limit?: number | undefined
  readonly each?: number | undefined
}

const read = async (
  client: Client,
  place: string,
  { limit, each, ...series }: Asked
): Promise<BoardScores> => {
  const endpoints = openEndpointsOf(client)
  const path = `/v1/leaderboard/${place}`
  const query = {
    project: endpoints.projectOf(null),
    limit: limit?.toString(),
    each: each?.toString(),
    ...series
  }
  const { board, period, rows } = fieldsOf(await readOpen(endpoints, path, { query }))
  const isNamed = typeof board === "string" && (period === null || typeof period === "string")
  if (!isNamed || !Array.isArray(rows)) throw notOfForm(path)
  return { board, period, rows: rows.map((row) => rowOf(path, row)) }
}

const rowOf = (path: string, row: unknown): BoardRow => {
  const { rank, playerId, score, at } = fieldsOf(row)
  const moment = new Date(typeof at === "string" ? at : Number.NaN)
  const isRow = typeof rank === "number" && typeof playerId === "string"
  if (!isRow || typeof score !== "number" || Number.isNaN(moment.getTime())) throw notOfForm(path)
  return { rank, playerId, score, at: moment }
}

import type { Client } from "@atrium/sdk/client"
import { around, type BoardRow, top } from "@atrium/sdk/leaderboard"

const Board = "rounds"
const Shown = 5

/** The best rounds of this week, and the player's own one after them if it is not among the first. */
export const readBestRounds = async (
  client: Client,
  playerId: string
): Promise<ReadonlyArray<BoardRow>> => {
  const [first, near] = await Promise.all([
    top(client, Board, { limit: Shown }),
    around(client, Board, { playerId, each: 1 })
  ])
  const own = near.rows.find((row) => row.playerId === playerId)
  return own === undefined || own.rank <= Shown ? first.rows : [...first.rows, own]
}

import { type Game, ratedBy, type Rating } from "./Glicko.ts"

/** A player of a report: the place in the result, 1 is the best, and the rating before it. */
export interface Placed extends Rating {
  readonly place: number
}

/**
 * The ratings after one report, in its order. Every player has played every other one, and the games
 * of a player count together as one: a result of eight newcomers says no more about each of them than
 * a game of two. Equal places are a draw. Source: C-590.
 */
export const ratedByReport = (players: ReadonlyArray<Placed>): ReadonlyArray<Rating> => {
  const weight = 1 / (players.length - 1)
  return players.map((player) =>
    ratedBy(
      player,
      players
        .filter((other) => other !== player)
        .map((other): Game => ({ opponent: other, score: scoreOf(player, other), weight }))
    )
  )
}

const scoreOf = (player: Placed, other: Placed): number =>
  player.place === other.place ? 0.5 : player.place < other.place ? 1 : 0

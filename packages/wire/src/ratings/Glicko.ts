import { DayMs } from "../limits/Limit.ts"

/** What is believed of a player: the strength, and how far it may be wrong (one standard deviation). */
export interface Rating {
  readonly rating: number
  readonly deviation: number
}

/** What a player has before the first result. Spec: Skill rating limits, starting rating. */
export const startingRating: Rating = { rating: 1500, deviation: 350 }

/** A rating that is more certain than this would no longer move. Source: C-592. */
const deviationMin = 30

/** An idle player's deviation of 50 reaches that of a new player after so many days. Source: C-591. */
const forgottenAfterDays = 365
const growthPerDay = (startingRating.deviation ** 2 - 50 ** 2) / forgottenAfterDays

const q = Math.LN10 / 400
const g = (deviation: number): number =>
  1 / Math.sqrt(1 + (3 * q ** 2 * deviation ** 2) / Math.PI ** 2)

/** The score that a player is expected to reach against an opponent: 0 to 1. */
export const expectedScore = (rating: number, opponent: Rating): number =>
  1 / (1 + 10 ** ((-g(opponent.deviation) * (rating - opponent.rating)) / 400))

/** One game of a rating period: against whom, and 1 = won, 0.5 = drawn, 0 = lost. */
export interface Game {
  readonly opponent: Rating
  readonly score: number
  /** How much of a game it counts: 1 = a whole one. */
  readonly weight: number
}

/**
 * A player's rating after the games of one period. Source: Glickman, The Glicko system, step 2, with
 * the games weighted and the deviation at least 30.
 */
export const ratedBy = (player: Rating, games: ReadonlyArray<Game>): Rating => {
  let [information, surprise] = [0, 0]
  for (const { opponent, score, weight } of games) {
    const expected = expectedScore(player.rating, opponent)
    const certainty = g(opponent.deviation)
    information += weight * q ** 2 * certainty ** 2 * expected * (1 - expected)
    surprise += weight * certainty * (score - expected)
  }
  const variance = 1 / (1 / player.deviation ** 2 + information)
  return {
    rating: player.rating + q * variance * surprise,
    deviation: Math.max(Math.sqrt(variance), deviationMin)
  }
}

/** The rating as it is believed after so many milliseconds without a result. Source: C-591. */
export const afterIdle = ({ rating, deviation }: Rating, idleMs: number): Rating => {
  const grown = Math.sqrt(deviation ** 2 + (growthPerDay * Math.max(idleMs, 0)) / DayMs)
  return { rating, deviation: Math.min(grown, startingRating.deviation) }
}

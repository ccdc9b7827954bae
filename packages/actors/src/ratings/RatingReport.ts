import type { RoomKey } from "@atrium/domain/shared/Ids"
import { type Rating, startingRating } from "@atrium/wire/ratings/Glicko"
import { ratedByReport } from "@atrium/wire/ratings/RatedReport"

/** Ratings by player id. A player without one in the queue is left out. */
export type RatingsByPlayer = ReadonlyMap<string, Rating>

/** The result of one game, as a room reports it. */
export interface RatingReport extends RoomKey {
  readonly queue: string
  /** Counts once per room. */
  readonly reportId: string
  /** 2 to 64 players, each once; place 1 is the best, equal places are a draw. */
  readonly results: ReadonlyArray<{ readonly player: string; readonly place: number }>
}

/** What became of a report. */
export interface TakenReport {
  /** `false`: the room has reported this id before, and nothing has changed. */
  readonly counted: boolean
  /** Of every player of the report, as stored now. */
  readonly ratings: RatingsByPlayer
}

/** The ratings after a report. @param before of the players who had one */
export const movedBy = (
  { results }: Pick<RatingReport, "results">,
  before: RatingsByPlayer
): RatingsByPlayer => {
  const after = ratedByReport(
    results.map(({ player, place }) => ({ ...(before.get(player) ?? startingRating), place }))
  )
  return new Map(results.map(({ player }, index) => [player, after[index] ?? startingRating]))
}

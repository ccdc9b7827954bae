import type { PlayedAnswer, PlayedCall } from "@atrium/actors/process/testing/MemoryRoomProcess"

import { KvWatch } from "./KvWatch.ts"
import { RatingWatch } from "./RatingWatch.ts"
import { ReplayWatch } from "./ReplayWatch.ts"
import { ScoreWatch } from "./ScoreWatch.ts"
import type { WatchedGames } from "./TableWatch.ts"
import { TicketWatch } from "./TicketWatch.ts"

/** What room code keeps of players and tells of them, and the tickets with which players meet. */
export class Games {
  readonly kv: KvWatch
  readonly scores: ScoreWatch
  readonly ratings: RatingWatch
  readonly tickets: TicketWatch
  readonly replays: ReplayWatch
  #calls = 0

  constructor(watched: WatchedGames) {
    const nextCall = this.nextCall
    this.kv = new KvWatch(watched, nextCall)
    this.scores = new ScoreWatch(watched, nextCall)
    this.ratings = new RatingWatch(watched, nextCall)
    this.tickets = new TicketWatch(watched)
    this.replays = new ReplayWatch(watched, nextCall)
  }

  /** Every call of a room has a number of its own. */
  readonly nextCall = (): number => ++this.#calls

  /** A client has the answer to a call of its room. @returns what the room is asked next; `null` = nothing */
  answered(answer: PlayedAnswer): PlayedCall | null {
    this.scores.answered(answer)
    this.ratings.answered(answer)
    this.replays.answered(answer)
    return this.kv.answered(answer)
  }

  /** How often each was acknowledged; a batch without any has shown nothing. */
  get made() {
    return {
      words: this.kv.acknowledged,
      scores: this.scores.acknowledged,
      games: this.ratings.acknowledged,
      matched: this.tickets.matched,
      clips: this.replays.clips,
      chunks: this.replays.chunks
    }
  }
}

import type { BoardStore } from "@atrium/actors/boards/BoardStore"
import type { OtherRunner } from "@atrium/actors/cluster/OtherRunners"
import type { KvStore } from "@atrium/actors/kv/KvStore"
import type { MatchStore } from "@atrium/actors/match/MatchStore"
import type { Seats } from "@atrium/actors/presence/SeatedPlayers"
import type { RatingStore } from "@atrium/actors/ratings/RatingStore"
import type { ReplayStore } from "@atrium/actors/replay/ReplayStore"
import type { CallingRoom } from "@atrium/actors/rooms/AnsweredCall"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import type { Effect } from "effect"

/** What the games of a world are made of: the product's parts, or ones that are wrong on purpose. */
export interface GameParts {
  /** Changes what the service knows of a room that calls. */
  readonly calling: (room: CallingRoom) => CallingRoom
  /** Changes the stores of a runner. */
  readonly kv: (store: KvStore["Service"]) => KvStore["Service"]
  readonly boards: (store: BoardStore["Service"]) => BoardStore["Service"]
  readonly ratings: (store: RatingStore["Service"]) => RatingStore["Service"]
  readonly match: (store: MatchStore["Service"], tables: MemoryTables) => MatchStore["Service"]
  readonly replays: (store: ReplayStore["Service"]) => ReplayStore["Service"]
  /** Changes the players that a runner has in its rooms. */
  readonly seats: (seats: Seats) => Seats
  /** Changes how a runner finds the others when it asks where players are. */
  readonly others: (
    living: Effect.Effect<ReadonlyArray<OtherRunner>>
  ) => Effect.Effect<ReadonlyArray<OtherRunner>>
}

export const rightGames: GameParts = {
  calling: (room) => room,
  kv: (store) => store,
  boards: (store) => store,
  ratings: (store) => store,
  match: (store) => store,
  replays: (store) => store,
  seats: (seats) => seats,
  others: (living) => living
}

import { Schema } from "effect"

/** The place that a match gave a player: what the ticket's credential and a room of another runner are told. */
export const MatchPlace = Schema.Struct({
  queue: Schema.String,
  /** `null` = the match has filled the room up. */
  team: Schema.NullOr(Schema.Int),
  /** What the players of one party have in common; `null` = the player queued alone. */
  party: Schema.NullOr(Schema.String)
})
export type MatchPlace = typeof MatchPlace.Type

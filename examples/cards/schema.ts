import { defineSchema, s } from "@atrium/sdk/schema"

import { WinsMax } from "./Rules.ts"

/** A card: a struct, which travels without names. */
export const card = s.struct({
  suit: s.enum("clubs", "diamonds", "hearts", "spades"),
  /** 1 = ace, 11 = jack, 12 = queen, 13 = king. */
  rank: s.u8()
})

export const cards = defineSchema({
  type: "cards",
  // Four play, the others watch.
  maxClients: 16,
  retention: "30d",
  singletons: {
    table: {
      phase: s.enum("waiting", "playing", "over"),
      /** The seat whose turn it is. */
      turn: s.ref("seats"),
      turnEndsAtMs: s.f64(),
      /** The card on which the next one is played. */
      top: s.optional(card),
      /** How many cards are left to draw. */
      left: s.u8(),
      winner: s.string(256),
      /** Rounds that each player has won here, also those of players who have left; who won last comes last. */
      wins: s.map(s.string(256), s.u16(), WinsMax)
    }
  },
  entities: {
    // Everybody sees how many cards a player has.
    seats: { playerId: s.string(256), cards: s.u8() },
    // A hand is its owner's alone: room.ts says so.
    hands: { owner: s.string(256), cards: s.list(card, 52) }
  },
  rpc: {
    client: {
      sit: {},
      // A card that was answered is stored: no crash takes it back.
      play: { args: { card }, durable: true },
      draw: {}
    }
  }
})

import { defineSchema, s } from "@atrium/sdk/schema"

/** The table of examples/cards as its version 1 had it: a card was a number, and a seat counted its wins. */
export const firstCards = defineSchema({
  type: "cards",
  maxClients: 16,
  retention: "30d",
  singletons: {
    table: {
      phase: s.enum("waiting", "playing", "over"),
      turn: s.ref("seats"),
      turnEndsAtMs: s.f64(),
      top: s.u8(),
      left: s.u8(),
      winner: s.string(256)
    }
  },
  entities: {
    seats: { playerId: s.string(256), cards: s.u8(), wins: s.u16() },
    hands: { owner: s.string(256), cards: s.list(s.u8(), 52) }
  },
  rpc: { client: { sit: {}, play: { args: { card: s.u8() }, durable: true }, draw: {} } }
})

export const firstHidden = {
  singletons: { deck: { cards: s.list(s.u8(), 52), played: s.list(s.u8(), 52) } }
}

import { defineSchema, s } from "@atrium/sdk/schema"

/** The plane on which everything happens; clients draw it, the room keeps players inside. */
export const Plane = { width: 100, height: 60 } as const

export const arena = defineSchema({
  type: "arena",
  maxClients: 64,
  tickHz: 20,
  // An empty arena sleeps soon: it costs nothing then, and wakes where it was.
  hibernateAfterMs: 5_000,
  // Players near each other talk: the page has a button for it.
  voice: { participants: 16 },
  entities: {
    players: {
      client: s.string(64),
      playerId: s.string(256),
      name: s.string(64),
      x: s.f32(),
      y: s.f32(),
      // Where a player is heading: a client can draw on between two ticks.
      dx: s.quantised({ min: -1, max: 1, step: 0.01 }),
      dy: s.quantised({ min: -1, max: 1, step: 0.01 }),
      coins: s.u32(),
      // Coins of the round that is on, and the skill after the last one; 0 = no round has ended yet.
      found: s.u16(),
      rating: s.u16(),
      away: s.bool()
    },
    coins: { x: s.f32(), y: s.f32() }
  },
  singletons: {
    score: { collected: s.u32(), leader: s.ref("players") },
    round: {
      secondsLeft: s.u8(),
      // Scores that are on the board by now: a page reads the board again when this changes.
      scored: s.u32()
    }
  },
  messages: {
    input: {
      dx: s.quantised({ min: -1, max: 1, step: 0.01 }),
      dy: s.quantised({ min: -1, max: 1, step: 0.01 })
    },
    chat: { from: s.ref("players"), text: s.string(200) }
  },
  // Kept for each player beyond this room.
  player: { coins: s.u32() }
})

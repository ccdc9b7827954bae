import { defineSchema, s } from "@atrium/sdk/schema"

/** A room whose page counts what it renders. */
export const yard = defineSchema({
  type: "yard",
  singletons: { score: { red: s.u8(), blue: s.u8() }, here: { clients: s.u8() } },
  entities: {
    players: {
      name: s.string(16),
      hp: s.u8(),
      bag: s.map(s.string(8), s.struct({ count: s.u8() }))
    }
  },
  messages: {
    add: { name: s.string(16) },
    hit: { player: s.u32(), hp: s.u8() },
    buy: { player: s.u32(), thing: s.string(8) },
    turn: { leaves: s.u32(), comes: s.string(16) }
  }
})

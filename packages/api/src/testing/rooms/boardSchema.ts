import { defineSchema, s } from "@atrium/sdk/schema"

/** A relay room: its project deploys this file alone. */
export const board = defineSchema({
  type: "board",
  maxClients: 3,
  reconnectForMs: 800,
  singletons: { topic: { title: s.string(32) } },
  entities: {
    shapes: { x: s.u8(), kind: s.enum("dot", "line"), label: s.string(64) },
    blobs: { data: s.bytes(60_000) },
    hands: {
      cards: s.list(s.struct({ suit: s.enum("clubs", "hearts"), rank: s.u8() }), 8),
      bag: s.map(s.u16(), s.struct({ count: s.u8(), mark: s.optional(s.string(8)) })),
      aim: s.optional(s.struct({ x: s.f32(), y: s.f32() }))
    }
  },
  messages: { shout: { text: s.string(16) } },
  rpc: { client: { ask: { returns: { one: s.u8() } } } }
})

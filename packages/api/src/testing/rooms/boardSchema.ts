import { defineSchema, s } from "@atrium/sdk/schema"

/** A relay room: its project deploys this file alone. */
export const board = defineSchema({
  type: "board",
  maxClients: 3,
  reconnectForMs: 800,
  singletons: { topic: { title: s.string(32) } },
  entities: {
    shapes: { x: s.u8(), kind: s.enum("dot", "line"), label: s.string(64) },
    blobs: { data: s.bytes(60_000) }
  },
  messages: { shout: { text: s.string(16) } },
  rpc: { client: { ask: { returns: { one: s.u8() } } } }
})

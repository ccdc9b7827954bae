import { defineSchema, s } from "@atrium/sdk/schema"

/** A room with place for one. */
export const single = defineSchema({
  type: "single",
  maxClients: 1,
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  singletons: { door: { knocks: s.u32() } },
  rpc: { client: { knock: { returns: { knocks: s.u32() } } } }
})

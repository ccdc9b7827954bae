import { defineSchema, s } from "@atrium/sdk/schema"

/** The public side of a room that keeps secrets: what clients are built with. */
export const vault = defineSchema({
  type: "vault",
  hibernateAfterMs: 100,
  reconnectForMs: 0,
  entities: { hands: { owner: s.string(64), card: s.string(32) } },
  singletons: { table: { hands: s.u8(), note: s.string(32, { default: "nothing" }) } },
  rpc: {
    client: {
      deal: {},
      count: { returns: { coins: s.u32() } },
      show: {},
      save: {}
    }
  }
})

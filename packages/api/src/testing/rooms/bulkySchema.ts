import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type whose state is as large as a test wants it, and does not get smaller when it is packed. */
export const bulky = defineSchema({
  type: "bulky",
  hibernateAfterMs: 200,
  reconnectForMs: 60_000,
  entities: { blocks: { bytes: s.bytes(4000) } },
  rpc: { client: { add: { args: { bytes: s.bytes(4000) }, durable: true } } }
})

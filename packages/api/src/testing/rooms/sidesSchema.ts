import { defineSchema, s } from "@atrium/sdk/schema"

const look = { returns: { version: s.u32(), best: s.u32() } }
const paint = { args: { side: s.string(8), best: s.u32() }, durable: true }

/** A room of which there are two versions: the later one takes more. */
export const sides = defineSchema({
  type: "sides",
  hibernateAfterMs: 300,
  reconnectForMs: 5000,
  singletons: { wall: { side: s.enum("red", "blue"), note: s.string(4), coats: s.u8() } },
  messages: { painted: { side: s.enum("red", "blue") } },
  rpc: { client: { look, paint } },
  player: { best: s.u8() }
})

export const moreSides = defineSchema({
  type: "sides",
  hibernateAfterMs: 300,
  reconnectForMs: 5000,
  singletons: {
    wall: { side: s.enum("red", "blue", "green"), note: s.string(40), coats: s.u32() }
  },
  messages: { painted: { side: s.enum("red", "blue", "green") } },
  rpc: { client: { look, paint } },
  player: { best: s.u16() }
})

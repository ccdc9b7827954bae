import { defineSchema, s } from "@atrium/sdk/schema"

/** How often both rooms tick. */
export const tickHz = 20
export const bodies = 32
const blastBytes = 48 * 1024

/** A game in which something moves with every tick. Its players do nothing wrong. */
export const good = defineSchema({
  type: "good",
  maxClients: 64,
  tickHz,
  entities: { bodies: { x: s.f32(), y: s.f32() } },
  messages: { say: { data: s.bytes(64) } }
})

/** The room of the slow readers: it sends more than the buffers of a client that does not read can hold. */
export const blast = defineSchema({
  type: "blast",
  maxClients: 1024,
  tickHz,
  messages: { blob: { data: s.bytes(blastBytes) }, say: { data: s.bytes(64) } }
})

export const blob = new Uint8Array(blastBytes)

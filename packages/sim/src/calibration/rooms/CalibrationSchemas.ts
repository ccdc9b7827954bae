import { defineSchema, s } from "@atrium/sdk/schema"

/** How long an empty room stays awake: a calibration waits for it. */
const sleepy = { hibernateAfterMs: 200, maxClients: 256 } as const

/** Bytes of the field that makes a state or a message large. */
export const largeBytes = 64 * 1024
export const messageBytesMax = 2048

const note = { data: s.bytes(messageBytesMax) }

/** A small room that does nothing by itself. `store` answers when its state is stored. */
export const plain = defineSchema({
  type: "plain",
  ...sleepy,
  singletons: { counter: { value: s.u32() } },
  messages: { note },
  rpc: { client: { store: {} } }
})

/** The same with a large state. */
export const vault = defineSchema({
  type: "vault",
  ...sleepy,
  singletons: { stock: { data: s.bytes(largeBytes) } },
  rpc: { client: { store: {} } }
})

export const tickHz = 20

/** Bodies of a room that moves all of them with every tick. */
export const bodiesOf = { few: 2, many: 400 } as const

const moving = {
  ...sleepy,
  tickHz,
  messages: { note },
  entities: { bodies: { x: s.f32(), y: s.f32(), vx: s.f32(), vy: s.f32() } }
} as const
export const few = defineSchema({ type: "few", ...moving })
export const many = defineSchema({ type: "many", ...moving })

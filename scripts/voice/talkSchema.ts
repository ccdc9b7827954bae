import { defineSchema, s } from "@atrium/sdk/schema"

/** A room in which two players talk. */
export const talk = defineSchema({
  type: "talk",
  voice: { participants: 2 },
  reconnectForMs: 60_000,
  entities: { heads: { client: s.string(64), x: s.f32(), y: s.f32() } },
  messages: { team: { name: s.string(32) }, move: { x: s.f32(), y: s.f32() } }
})

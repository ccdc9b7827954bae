import { defineSchema, s } from "@atrium/sdk/schema"

/** A relay room, which runs no code: its project deploys schemas alone. */
export const shared = defineSchema({
  type: "shared",
  hibernateAfterMs: 200,
  singletons: { counter: { value: s.u32() } }
})

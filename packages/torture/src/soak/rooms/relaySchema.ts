import { defineSchema, s } from "@atrium/sdk/schema"

/** A relay room with one number. Its project deploys this file, and its rooms run no code. */
export const tally = defineSchema({
  type: "tally",
  hibernateAfterMs: 500,
  reconnectForMs: 5000,
  singletons: { sum: { count: s.u32() } }
})

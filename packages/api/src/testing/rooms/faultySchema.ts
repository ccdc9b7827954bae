import { defineSchema, s } from "@atrium/sdk/schema"

/** A room whose one call fails. */
export const faulty = defineSchema({
  type: "faulty",
  rpc: { client: { fail: { returns: { done: s.bool() } } } }
})

import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type whose clients say what its code submits to the project's boards. */
export const scorer = defineSchema({
  type: "scorer",
  rpc: { client: { submit: { args: s.untyped(), returns: s.untyped() } } }
})

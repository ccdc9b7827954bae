import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type whose matches come from the queue `duel`, and that reports what it is told to. */
export const rated = defineSchema({
  type: "rated",
  queue: "duel",
  rpc: {
    client: {
      report: { args: s.untyped(), returns: s.untyped() },
      get: { args: s.untyped(), returns: s.untyped() },
      /** Which process the room is in. */
      life: { returns: { process: s.string(64) } },
      crash: {}
    }
  }
})

import { defineSchema, s } from "@atrium/sdk/schema"

export const counter = defineSchema({
  type: "counter",
  maxClients: 32,
  singletons: {
    // What everyone in the room sees.
    counter: { presses: s.u32() }
  },
  messages: {
    // What a client may say. It has no fields.
    press: {}
  }
})

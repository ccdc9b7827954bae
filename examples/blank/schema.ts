import { defineSchema, s } from "@atrium/sdk/schema"

export const counter = defineSchema({
  type: "counter",
  maxClients: 32,
  singletons: {
    // Everyone in the room sees this.
    counter: { presses: s.u32() }
  },
  messages: {
    // A client may send this message. It has no fields.
    press: {}
  }
})

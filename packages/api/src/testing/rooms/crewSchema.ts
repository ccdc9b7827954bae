import { defineSchema, s } from "@atrium/sdk/schema"

/** A room that shares its process, and does to it what it is told. */
export const crew = defineSchema({
  type: "crew",
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  singletons: { counter: { value: s.u32() } },
  messages: { run: { what: s.enum("loop", "memory", "crash") } },
  rpc: {
    client: {
      count: { args: { by: s.u32() }, returns: { value: s.u32() }, durable: true },
      /** Calls that this instance of the module has had. */
      tally: { returns: { calls: s.u32() } }
    }
  }
})

import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type that keeps what its players have entered: durably (`book`) or not (`note`). */
export const ledger = defineSchema({
  type: "ledger",
  reconnectForMs: 60_000,
  entities: { booked: { n: s.u32() }, noted: { n: s.u32() } },
  rpc: {
    client: {
      book: {
        args: { n: s.u32() },
        returns: { n: s.u32(), life: s.string(36) },
        durable: true
      },
      note: { args: { n: s.u32() }, returns: { n: s.u32(), life: s.string(36) } },
      ringIn: { args: { ms: s.u32() } }
    }
  },
  singletons: { bell: { rung: s.u32() } }
})

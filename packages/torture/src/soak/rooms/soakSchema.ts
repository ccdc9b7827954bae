import { defineSchema, s } from "@atrium/sdk/schema"

/** A room that sleeps as soon as nobody is in it. */
export const sleeper = defineSchema({
  type: "sleeper",
  hibernateAfterMs: 20,
  reconnectForMs: 0,
  singletons: { counter: { turns: s.u32(), wakes: s.u32() } },
  rpc: { client: { turn: { returns: { turns: s.u32(), wakes: s.u32() } } } }
})

const call = { client: s.u16(), seq: s.u32(), ticket: s.u32() }
// `boot` tells the processes of a room apart: the moment at which its code was loaded.
const answer = { boot: s.f64() }
const kinds = s.enum("durable", "plain", "message")

const ledgerShape = {
  type: "ledger",
  hibernateAfterMs: 500,
  reconnectForMs: 5000,
  messages: { note: call },
  rpc: {
    client: {
      durable: { args: call, returns: answer, durable: true },
      plain: { args: call, returns: answer }
    }
  }
} as const

/** A room that keeps a line of everything that its clients ask for, in the order of arrival. */
export const ledger = defineSchema({
  ...ledgerShape,
  entities: { lines: { ...call, kind: kinds } }
})

/** The ledger of a later deployment: it has one more field and one more singleton. */
export const widerLedger = defineSchema({
  ...ledgerShape,
  entities: { lines: { ...call, kind: kinds, checked: s.bool() } },
  singletons: { audit: { lines: s.u32() } }
})

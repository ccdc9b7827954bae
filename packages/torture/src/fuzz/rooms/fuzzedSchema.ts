import { defineSchema, s } from "@atrium/sdk/schema"

const everyKind = {
  bool: s.bool(),
  u8: s.u8(),
  i16: s.i16(),
  u32: s.u32(),
  f32: s.f32(),
  f64: s.f64(),
  step: s.quantised({ min: -10, max: 10, step: 0.1 }),
  text: s.string(64),
  bytes: s.bytes(64),
  team: s.enum("red", "blue", "green"),
  mark: s.ref("marks"),
  path: s.list(s.u16(), 16),
  names: s.list(s.string(8), 4),
  at: s.struct({ x: s.f32(), aim: s.optional(s.struct({ y: s.u8() })) }),
  bag: s.map(s.string(8), s.list(s.struct({ count: s.u8() }), 4), 8)
}

const waits = { hibernateAfterMs: 1_000, reconnectForMs: 200 }

/** Takes every kind of frame; what its clients send comes back to them. */
export const fuzzed = defineSchema({
  type: "fuzzed",
  maxClients: 1000,
  ...waits,
  singletons: { counter: { value: s.u32() } },
  entities: { marks: { by: s.string(64), x: s.f32() }, things: everyKind },
  messages: { say: { text: s.string(200) }, record: everyKind, anything: s.untyped() },
  rpc: {
    client: {
      add: { args: { by: s.u32() }, returns: { value: s.u32() } },
      echo: { args: s.untyped(), returns: s.untyped() },
      refuse: {},
      fail: {},
      ask: { returns: { text: s.string(64) } },
      later: {},
      store: { durable: true },
      leave: { args: { code: s.u16() } }
    },
    server: { question: { args: { text: s.string(64) }, returns: { text: s.string(64) } } }
  },
  player: { total: s.u32(), name: s.string(32) }
})

/** Holds one client. */
export const tight = defineSchema({ type: "tight", maxClients: 1, ...waits })

/** Its process ends when it is asked to. */
export const fragile = defineSchema({
  type: "fragile",
  ...waits,
  rpc: { client: { crash: {} } }
})

/** The room beside, which must not notice. */
export const beside = defineSchema({
  type: "beside",
  ...waits,
  singletons: { counter: { value: s.u32() } },
  rpc: { client: { add: { args: { by: s.u32() }, returns: { value: s.u32() } } } }
})

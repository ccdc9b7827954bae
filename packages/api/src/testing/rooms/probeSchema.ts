import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type that lets a test reach every part of a room. */
export const probe = defineSchema({
  type: "probe",
  hibernateAfterMs: 300,
  reconnectForMs: 5_000,
  singletons: { counter: { value: s.u32(), starts: s.u32(), alarms: s.u32() } },
  entities: { marks: { by: s.string(64), x: s.f32() } },
  messages: { say: { text: s.string(200) }, anything: s.untyped() },
  rpc: {
    client: {
      add: { args: { by: s.u32() }, returns: { value: s.u32() } },
      addDurably: { args: { by: s.u32() }, returns: { value: s.u32() }, durable: true },
      /** Changes all that a call can change: state, the player's fields, an alarm. */
      promise: { args: { by: s.u32(), ms: s.u32() }, durable: true },
      mark: { args: { x: s.f32() } },
      alarmIn: { args: { ms: s.u32() } },
      save: {},
      score: { args: { by: s.u32() }, returns: { total: s.u32() } },
      crash: {},
      spin: {},
      log: { args: { level: s.string(5), text: s.string(16_384), count: s.u32() } },
      list: {},
      begin: {},
      show: { args: { json: s.string(4096) } },
      version: { returns: { version: s.u32() } },
      askBack: { args: { question: s.string(64) }, returns: { answer: s.string(64) } }
    },
    server: { question: { args: { text: s.string(64) }, returns: { text: s.string(64) } } }
  },
  player: { total: s.u32() }
})

import { describe, expect, test } from "vitest"

import { defineSchema, s, SchemaError, type AnyField, type SchemaDefinition } from "../schema.ts"

const define = (part: Partial<SchemaDefinition>) => defineSchema({ type: "t", ...part })

describe("unknown keys", () => {
  const oneCall = (call: unknown) => ({ rpc: { client: { add: call } } })
  // Plain JavaScript, and a spread in TypeScript, may pass anything.
  const options = (value: unknown) => value as never
  const hp = (field: AnyField) => ({ entities: { units: { hp: field } } })
  test.each<[unknown, string]>([
    [{ maxClient: 2 }, "maxClient: unknown key; did you mean maxClients?"],
    [{ MaxClients: 2 }, "MaxClients: unknown key; did you mean maxClients?"],
    [{ hibernateAfter: 5 }, "hibernateAfter: unknown key; did you mean hibernateAfterMs?"],
    [{ entites: {} }, "entites: unknown key; did you mean entities?"],
    [{ singleton: {} }, "singleton: unknown key; did you mean singletons?"],
    [{ message: {} }, "message: unknown key; did you mean messages?"],
    [{ public: true }, "public: unknown key; known are type, class, maxClients,"],
    [{ ["k".repeat(33)]: 1 }, `${"k".repeat(32)}: unknown key; known are`],
    [{ voice: { participants: 2, slots: 3 } }, "voice.slots: unknown key"],
    [{ physics: { dimension: 3 } }, "physics.dimension: unknown key; did you mean dimensions?"],
    [{ replay: { second: 3 } }, "replay.second: unknown key; did you mean seconds?"],
    [{ rpc: { clients: {} } }, "rpc.clients: unknown key; did you mean client?"],
    [{ rpc: { add: {} } }, "rpc.add: unknown key; known are client, server"],
    [{ rpc: [] }, "rpc: must be an object"],
    [oneCall({ arg: {} }), "rpc.client.add.arg: unknown key; did you mean args?"],
    [oneCall({ return: {} }), "rpc.client.add.return: unknown key; did you mean returns?"],
    [oneCall({ durabel: true }), "rpc.client.add.durabel: unknown key; did you mean durable?"],
    [oneCall({ durable: 1 }), "rpc.client.add.durable: must be true or false"],
    [hp(s.u8(options({ defualt: 1 }))), "units.hp: defualt: unknown key; did you mean default?"],
    [hp(s.u8(options(3))), "units.hp: its options must be an object"],
    [hp(s.bool(options({ value: true }))), "units.hp: value: unknown key; known are default"],
    [hp(s.string(3, options({ max: 3 }))), "units.hp: max: unknown key"],
    [hp(s.bytes(3, options({ max: 3 }))), "units.hp: max: unknown key"],
    [hp(s.list(s.u8(), 3, options({ max: 3 }))), "units.hp: max: unknown key"],
    [hp(s.list(s.u8(options({ max: 3 })), 3)), "units.hp[]: max: unknown key"],
    [hp(s.struct({ a: s.u8(options({ max: 3 })) })), "units.hp.a: max: unknown key"],
    [hp(s.map(s.u8(options({ max: 3 })), s.u8())), "units.hp key: max: unknown key"],
    [
      hp(s.quantised(options({ min: 0, max: 1, step: 1, steps: 2 }))),
      "units.hp: steps: unknown key; did you mean step?"
    ],
    [{ messages: { chat: { text: s.u8(options({ d: 1 })) } } }, "messages.chat.text: d: unknown"],
    [{ player: { wins: s.u8(options({ d: 1 })) } }, "player.wins: d: unknown key"]
  ])("[schema.unknown-key] refuses %o by name, with the nearest known key", (part, message) => {
    const definition = part as Partial<SchemaDefinition>
    expect(() => define(definition)).toThrow(SchemaError)
    expect(() => define(definition)).toThrow(message)
  })

  test("[schema.unknown-key] every key of a declaration is known", () => {
    const all: Required<SchemaDefinition> = {
      type: "all",
      class: "large",
      maxClients: 2,
      tickHz: 1,
      hibernateAfterMs: 1000,
      reconnectForMs: 1000,
      retention: "1d",
      queue: "duo",
      voice: { participants: 2 },
      replay: { seconds: 1, ttl: "1d" },
      physics: { dimensions: 2, history: 1 },
      project: "p_0123456789abcdef",
      entities: { units: { hp: s.quantised({ min: 0, max: 1, step: 1, default: 1 }) } },
      singletons: { score: { red: s.u8({ default: 1 }) } },
      messages: { raw: s.untyped() },
      rpc: { client: { add: { args: {}, returns: {}, durable: false } }, server: {} },
      player: { wins: s.list(s.u8(), 2, { default: [1] }) }
    }
    expect(() => defineSchema(all)).not.toThrow()
  })
})

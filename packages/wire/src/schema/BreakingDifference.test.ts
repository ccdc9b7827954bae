import { describe, expect, test } from "vitest"

import {
  breakingDifference,
  defineSchema,
  describe as descriptorOf,
  fromDescriptor,
  s,
  type SchemaDefinition
} from "../schema.ts"
import type { AnyField } from "./Field.ts"

const definition = {
  type: "arena",
  class: "large",
  maxClients: 8,
  tickHz: 20,
  retention: "30d",
  entities: {
    players: {
      name: s.string(32, { default: "you" }),
      hp: s.u8({ default: 100 }),
      team: s.enum("red", "blue")
    },
    walls: { x: s.f32() }
  },
  singletons: { score: { red: s.u16() } },
  messages: {
    chat: { text: s.string(200) },
    anything: s.untyped(),
    move: { at: s.struct({ x: s.u8() }) }
  },
  rpc: {
    client: { place: { args: { cell: s.u8() }, returns: s.untyped(), durable: true } },
    server: { ask: { returns: { card: s.u8() } } }
  },
  player: { wins: s.u32() }
} satisfies SchemaDefinition
const { players, walls } = definition.entities
const { client, server } = definition.rpc

const difference = (part: Partial<SchemaDefinition>): string | null =>
  breakingDifference(defineSchema(definition), defineSchema({ ...definition, ...part }))

describe("a difference that breaks nothing", () => {
  const { name, hp, team } = players
  test.each<[string, Partial<SchemaDefinition>]>([
    ["the same", {}],
    ["settings", { class: "standard", tickHz: 1, retention: null, queue: "duo", maxClients: 3 }],
    ["voice", { voice: { participants: 4 } }],
    ["the physics alone", { tickHz: 60, physics: { dimensions: 3, history: 240 } }],
    ["the replay alone", { replay: { seconds: 300, ttl: "1d" } }],
    ["waits", { hibernateAfterMs: 1, reconnectForMs: 1 }],
    ["an entity", { entities: { npcs: {}, players, walls } }],
    ["a field, anywhere", { entities: { players: { armour: s.u8(), ...players }, walls } }],
    ["another order", { entities: { walls, players: { team, hp, name } } }],
    ["a default", { entities: { players: { ...players, hp: s.u8({ default: 1 }) }, walls } }],
    ["a singleton", { singletons: { clock: { now: s.u32() }, ...definition.singletons } }],
    ["a message", { messages: { first: {}, ...definition.messages } }],
    [
      "a message's field",
      { messages: { ...definition.messages, chat: { loud: s.bool(), text: s.string(200) } } }
    ],
    ["an RPC", { rpc: { client: { more: {}, ...client }, server } }],
    [
      "an argument",
      {
        rpc: { client: { place: { ...client.place, args: { cell: s.u8(), by: s.u8() } } }, server }
      }
    ],
    ["durable gone", { rpc: { client: { place: { ...client.place, durable: false } }, server } }],
    ["durable new", { rpc: { client, server: { ask: { ...server.ask, durable: true } } } }],
    [
      "a field of a struct",
      { messages: { ...definition.messages, move: { at: s.struct({ z: s.u8(), x: s.u8() }) } } }
    ],
    ["a player field", { player: { losses: s.u8(), wins: s.u32() } }]
  ])("[C-56] %s", (_, part) => {
    expect(difference(part)).toBeNull()
  })
})

describe("a declaration that is gone", () => {
  test.each<[Partial<SchemaDefinition>, string]>([
    [{ entities: { walls } }, "entities.players was removed"],
    [
      { entities: { players: { hp: players.hp, team: players.team }, walls } },
      "entities.players.name was removed"
    ],
    [{ entities: { players, walls, score: {} }, singletons: {} }, "singletons.score was removed"],
    [{ singletons: { score: {} } }, "singletons.score.red was removed"],
    [{ messages: { anything: s.untyped() } }, "messages.chat was removed"],
    [{ messages: { ...definition.messages, chat: {} } }, "messages.chat.text was removed"],
    [
      { messages: { ...definition.messages, chat: s.untyped() } },
      "messages.chat had fields and is untyped now"
    ],
    [
      { messages: { ...definition.messages, anything: {} } },
      "messages.anything was untyped and has fields now"
    ],
    [{ rpc: { client: {}, server } }, "rpc.client.place was removed"],
    [
      { rpc: { client: { place: { returns: s.untyped() } }, server } },
      "rpc.client.place.args.cell was removed"
    ],
    [
      { rpc: { client: { place: { args: client.place.args } }, server } },
      "rpc.client.place.returns was untyped and has fields now"
    ],
    [
      { rpc: { client, server: { ask: { returns: s.untyped() } } } },
      "rpc.server.ask.returns had fields and is untyped now"
    ],
    [{ rpc: { client } }, "rpc.server.ask was removed"],
    [{ player: {} }, "player.wins was removed"],
    [{ player: { wins: s.string(8) } }, "player.wins was u32 and is string(8)"]
  ])("[C-56] %j", (part, message) => {
    expect(difference(part)).toBe(message)
  })

  test("[C-56] of several differences the first is named: entities, singletons, the rest", () => {
    const { hp: _, ...noHp } = players
    expect(difference({ entities: { players: noHp }, singletons: {}, player: {} })).toBe(
      "entities.players.hp was removed"
    )
    expect(difference({ messages: {}, player: {} })).toBe("messages.chat was removed")
  })
})

// What is compatible: docs/guide/schemas.md, whose table is tested in scripts/schemaChanges.test.ts.
describe("a field of another kind, or one that takes less", () => {
  const fieldDifference = (was: AnyField, is: AnyField): string | null => {
    const [old, next] = [was, is].map((field) =>
      // As they come out of the store, which is where deployments are compared.
      fromDescriptor(
        JSON.parse(
          JSON.stringify(
            descriptorOf(
              defineSchema({
                type: "t",
                entities: { a: {}, b: {} },
                singletons: { at: { f: field } }
              })
            )
          )
        )
      )
    )
    if (old === undefined || next === undefined) throw new Error("two schemas")
    return breakingDifference(old, next)
  }
  const range = { min: 0, max: 10, step: 0.1 }

  test.each<[AnyField, AnyField, string]>([
    [s.bool(), s.u8(), " was bool and is u8"],
    [s.u16(), s.u8(), " was u16 and is u8"],
    [s.i8(), s.u8(), " was i8 and is u8"],
    [s.u32(), s.i32(), " was u32 and is i32"],
    [s.f64(), s.f32(), " was f64 and is f32"],
    [s.quantised(range), s.f32(), " was quantised(0 to 10 by 0.1) and is f32"],
    [
      s.quantised(range),
      s.quantised({ ...range, max: 5 }),
      " was quantised(0 to 10 by 0.1) and is quantised(0 to 5 by 0.1)"
    ],
    [
      s.quantised(range),
      s.quantised({ ...range, step: 0.2 }),
      " was quantised(0 to 10 by 0.1) and is quantised(0 to 10 by 0.2)"
    ],
    [s.string(32), s.string(31), " was string(32) and is string(31)"],
    [s.string(8), s.bytes(8), " was string(8) and is bytes(8)"],
    [s.bytes(8), s.bytes(4), " was bytes(8) and is bytes(4)"],
    [s.enum("a", "b"), s.enum("b", "a"), ': choice 1 was "a" and is "b"'],
    [s.enum("a", "b", "c"), s.enum("a", "c"), ': choice 2 was "b" and is "c"'],
    [s.enum("a", "b"), s.enum("a"), ' has lost the choice "b"'],
    [s.enum("a", "b"), s.string(8), ' was enum("a", "b") and is string(8)'],
    [s.enum("a\nb"), s.bool(), ' was enum("a\\nb") and is bool'],
    [s.ref("a"), s.ref("b"), " was ref(a) and is ref(b)"],
    [s.ref("a"), s.u32(), " was ref(a) and is u32"],
    [s.list(s.u16(), 4), s.list(s.u8(), 4), "[] was u16 and is u8"],
    [s.list(s.u16(), 4), s.list(s.u8(), 5), "[] was u16 and is u8"],
    [s.list(s.u8(), 4), s.list(s.u8(), 3), " was list(u8, 4) and is list(u8, 3)"],
    [s.list(s.string(5), 4), s.list(s.string(4), 4), "[] was string(5) and is string(4)"],
    [s.list(s.enum("a", "b"), 4), s.list(s.enum("a"), 4), '[] has lost the choice "b"'],
    [s.list(s.u8(), 4), s.u8(), " was list(u8, 4) and is u8"],
    [s.struct({ x: s.u8(), y: s.u8() }), s.struct({ y: s.u8() }), ".x was removed"],
    [s.struct({ x: s.u16() }), s.struct({ x: s.u8() }), ".x was u16 and is u8"],
    [
      s.list(s.struct({ x: s.u8() }), 4),
      s.list(s.struct({ x: s.i8() }), 4),
      "[].x was u8 and is i8"
    ],
    [
      s.list(s.struct({ x: s.u8() }), 4),
      s.list(s.struct({ x: s.u8() }), 3),
      " was list(struct(x: u8), 4) and is list(struct(x: u8), 3)"
    ],
    [s.struct({ x: s.u8() }), s.u8(), " was struct(x: u8) and is u8"],
    [s.map(s.u16(), s.u8(), 4), s.map(s.u8(), s.u8(), 4), " key was u16 and is u8"],
    [s.map(s.u8(), s.u16(), 4), s.map(s.u8(), s.u8(), 4), "[] was u16 and is u8"],
    [
      s.map(s.u8(), s.u8(), 4),
      s.map(s.u8(), s.u8(), 3),
      " was map(u8, u8, 4) and is map(u8, u8, 3)"
    ],
    [s.optional(s.u16()), s.optional(s.u8()), " was u16 and is u8"],
    [s.optional(s.struct({ x: s.u8() })), s.optional(s.struct({ z: s.u8() })), ".x was removed"],
    [s.optional(s.u8()), s.u8(), " was optional(u8) and is u8"]
  ])("[C-56] %j to %j", (was, is, message) => {
    expect(fieldDifference(was, is)).toBe(`singletons.at.f${message}`)
    expect(fieldDifference(was, was)).toBeNull()
    expect(fieldDifference(is, is)).toBeNull()
  })
})

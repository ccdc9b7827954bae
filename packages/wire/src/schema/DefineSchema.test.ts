import { describe, expect, test } from "vitest"

import {
  defineSchema,
  s,
  SchemaError,
  type AnyField,
  type Fields,
  type SchemaDefinition
} from "../schema.ts"

const many = <T>(count: number, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`n${place}`, value]))

const define = (part: Partial<SchemaDefinition>) => defineSchema({ type: "t", ...part })
const fields = (count: number): Fields => many(count, s.bool())
const oneField = (field: AnyField) => define({ entities: { units: { hp: field } } })

describe("limits", () => {
  test.each<[string, Partial<SchemaDefinition>, Partial<SchemaDefinition>, string]>([
    [
      "limits.schema.fields.entity",
      { entities: { units: fields(255) } },
      { entities: { units: fields(256) } },
      "entities.units: 256 fields are over 255"
    ],
    [
      "limits.schema.fields.singleton",
      { singletons: { score: fields(255) } },
      { singletons: { score: fields(256) } },
      "singletons.score: 256 fields are over 255"
    ],
    [
      "limits.schema.messages",
      { messages: many(256, { text: s.u8() }) },
      { messages: many(257, s.untyped()) },
      "messages: 257 are over 256"
    ],
    [
      "limits.schema.rpcs",
      { rpc: { client: many(30_000, {}), server: many(30_000, {}) } },
      { rpc: { client: many(30_000, {}), server: many(30_001, {}) } },
      "rpc: 60001 are over 60000"
    ],
    [
      "schema.collections",
      { entities: many(200, {}), singletons: { ...renamed(55) } },
      { entities: many(200, {}), singletons: { ...renamed(56) } },
      "entities and singletons: 256 are over 255"
    ],
    [
      "schema.message.fields",
      { messages: { chat: fields(255) } },
      { messages: { chat: fields(256) } },
      "messages.chat: 256 fields are over 255"
    ],
    [
      "schema.rpc.fields",
      { rpc: { server: { ask: { returns: fields(255) } } } },
      { rpc: { server: { ask: { returns: fields(256) } } } },
      "rpc.server.ask.returns: 256 fields are over 255"
    ],
    [
      "schema.player.bytes",
      // A map head of 1, the name "t" of 2, a text head of 3.
      { player: { t: s.string(4096 - 6) } },
      { player: { t: s.string(4096 - 5) } },
      "player: its fields can take 4097 bytes, which is over 4096"
    ],
    [
      "schema.name",
      { entities: { ["n".repeat(64)]: {} } },
      { entities: { ["n".repeat(65)]: {} } },
      `entities.${"n".repeat(65)}: a name of 65 characters is over 64`
    ],
    ["schema.type", { type: "a".repeat(64) }, { type: "a".repeat(65) }, "type: must be 1 to 64 of"],
    [
      "schema.maxClients",
      { maxClients: 1024 },
      { maxClients: 1025 },
      "maxClients: must be a whole"
    ],
    ["schema.maxClients", { maxClients: 1 }, { maxClients: 0 }, "maxClients: must be a whole"],
    [
      "schema.tickHz",
      { tickHz: 60 },
      { tickHz: 61 },
      "tickHz: must be a whole number from 0 to 60"
    ],
    ["schema.tickHz", { tickHz: 0 }, { tickHz: -1 }, "tickHz: must be a whole number from 0 to 60"],
    [
      "schema.hibernateAfterMs",
      { hibernateAfterMs: 86_400_000 },
      { hibernateAfterMs: 86_400_001 },
      "hibernateAfterMs: must be"
    ],
    [
      "schema.reconnectForMs",
      { reconnectForMs: 600_000 },
      { reconnectForMs: 600_001 },
      "reconnectForMs: must be"
    ],
    [
      "match.queue-name.length",
      { queue: "q".repeat(32) },
      { queue: "q".repeat(33) },
      "queue: must be 1 to 32 of a-z 0-9 . _ -"
    ],
    [
      "D-59",
      { voice: { participants: 2 } },
      { voice: { participants: 1 } },
      "voice.participants: must be a whole number from 2 to 32"
    ],
    [
      "D-59",
      { voice: { participants: 32 } },
      { voice: { participants: 33 } },
      "voice.participants: must be a whole number from 2 to 32"
    ],
    ["D-54", { queue: "duo.ranked-1_a" }, { queue: "Duo" }, "queue: must be 1 to 32"],
    ["schema.retention", { retention: "3650d" }, { retention: "3651d" }, "retention: must be"],
    [
      "replay.seconds.max",
      { replay: { seconds: 300 } },
      { replay: { seconds: 301 } },
      "replay.seconds: must be a whole number from 1 to 300"
    ],
    [
      "D-44",
      { replay: { seconds: 1 } },
      { replay: { seconds: 0 } },
      "replay.seconds: must be a whole number from 1 to 300"
    ],
    [
      "replay.ttl.range",
      { replay: { ttl: "3650d" } },
      { replay: { ttl: "3651d" } },
      "replay.ttl: must be a duration of 1m to 3650d"
    ],
    [
      "limits.physics.history",
      { tickHz: 60, physics: { dimensions: 3, history: 240 } },
      { tickHz: 60, physics: { dimensions: 3, history: 241 } },
      "physics.history: must be a whole number from 0 to 240"
    ],
    [
      "limits.physics.history",
      { tickHz: 60, physics: { dimensions: 2, history: 0 } },
      { tickHz: 60, physics: { dimensions: 2, history: -1 } },
      "physics.history: must be a whole number from 0 to 240"
    ],
    [
      "limits.physics.history",
      { tickHz: 60, physics: { dimensions: 2, history: 1 } },
      { tickHz: 60, physics: { dimensions: 2, history: 1.5 } },
      "physics.history: must be a whole number from 0 to 240"
    ],
    [
      "C-860",
      { tickHz: 1, physics: { dimensions: 2 } },
      { physics: { dimensions: 2 } },
      "physics: the world steps with the tick: set tickHz"
    ],
    ["D-09", { replay: { ttl: "1m" } }, { replay: { ttl: "0m" } }, "replay.ttl: must be"],
    [
      "schema.project",
      { project: "p_0123456789abcdef" },
      { project: "p_0123456789abcdeg" },
      "project: must be"
    ]
  ])(
    "[%s] at the bound it builds, one past it throws at once and names the culprit",
    (...[, ok, past, message]) => {
      expect(() => define(ok)).not.toThrow()
      expect(() => define(past)).toThrow(SchemaError)
      expect(() => define(past)).toThrow(message)
    }
  )

  test.each<[string, AnyField, AnyField, string]>([
    ["schema.string", s.string(65_536), s.string(65_537), "maxBytes: 65537 is over 65536"],
    ["schema.string", s.string(1), s.string(0), "maxBytes: 0 is not a whole number from 1"],
    ["schema.bytes", s.bytes(65_536), s.bytes(65_537), "maxBytes: 65537 is over 65536"],
    [
      "schema.list",
      s.list(s.u8(), 65_535),
      s.list(s.u8(), 65_536),
      "maxLength: 65536 is over 65535"
    ],
    ["schema.list", s.list(s.string(9), 1), s.list(s.string(0), 1), "maxBytes: 0 is not"],
    ["schema.enum", choices(256), choices(257), "257 choices are over 256"],
    ["schema.enum", s.enum("a"), s.enum("a", "a"), 'the choice "a" is there twice'],
    ["schema.enum", s.enum("e".repeat(64)), s.enum("e".repeat(65)), "is over 64 characters"],
    ["schema.enum", s.enum("a"), s.enum(""), '"" is not a choice'],
    ["schema.ref", s.ref("units"), s.ref("unit"), '"unit" is not one of the entities'],
    ["schema.ref", s.list(s.ref("units"), 2), s.list(s.ref("x"), 2), '"x" is not one of the'],
    [
      "schema.quantised",
      s.quantised({ min: 0, max: 4_294_967_295, step: 1 }),
      s.quantised({ min: 0, max: 4_294_967_296, step: 1 }),
      "4294967296 steps are over 4294967295"
    ],
    [
      "schema.quantised",
      s.quantised({ min: 0, max: 0.7, step: 0.1 }),
      s.quantised({ min: 0, max: 0.75, step: 0.1 }),
      "max 0.75 is not min 0 and a whole number of steps 0.1"
    ],
    [
      "schema.quantised",
      s.quantised({ min: 0, max: 1, step: 1 }),
      s.quantised({ min: 1, max: 1, step: 1 }),
      "min 1 is not below max 1"
    ],
    [
      "schema.quantised",
      s.quantised({ min: 0, max: 1, step: 0.5 }),
      s.quantised({ min: 0, max: 1, step: 0 }),
      "step 0 is not above 0"
    ],
    [
      "schema.quantised",
      s.quantised({ min: 1e9, max: 1e9 + 1, step: 2 ** -16 }),
      s.quantised({ min: 1e9, max: 1e9 + 1, step: 2 ** -20 }),
      "is too fine"
    ],
    [
      "schema.map",
      s.map(s.u8(), s.u8(), 65_535),
      s.map(s.u8(), s.u8(), 65_536),
      "maxEntries: 65536"
    ],
    ["schema.map", s.map(s.u8(), s.u8(), 1), s.map(s.u8(), s.u8(), 0), "maxEntries: 0 is not a"],
    [
      "schema.map",
      s.map(s.i32(), s.u8()),
      s.map(s.f32(), s.u8()),
      "a key cannot be of the kind f32"
    ],
    ["schema.map", s.map(s.ref("units"), s.u8()), s.map(s.ref("x"), s.u8()), 'hp key: "x" is not'],
    [
      "schema.map",
      s.map(s.u8(), s.u8()),
      s.map(s.u8(), s.optional(s.u8())),
      "cannot hold optionals"
    ],
    ["schema.struct", s.struct(fields(255)), s.struct(fields(256)), "256 fields are over 255"],
    ["schema.struct", s.struct({ a: s.u8() }), s.struct({}), "a struct needs a field"],
    [
      "schema.struct",
      s.struct({ id: s.u8() }),
      s.struct({ toJSON: s.u8() }),
      "hp.toJSON: the name"
    ],
    [
      "schema.struct",
      s.struct({ a: s.u8() }),
      s.struct({ "1": s.u8() }),
      "hp.1: a name is a letter"
    ],
    [
      "schema.struct",
      s.struct({ a: s.u8({ default: 255 }) }),
      s.struct({ a: s.u8({ default: 256 }) }),
      "hp.a: default: 256 is outside"
    ],
    [
      "schema.optional",
      s.optional(s.list(s.u8(), 1)),
      s.optional(s.optional(s.u8())),
      "an optional cannot hold an optional"
    ],
    ["schema.nested-kinds", nested(4), nested(5), "more than 4 structs, maps and lists are in one"],
    [
      "schema.nested-bytes",
      // A head of 1 and two names of 2; a head of 3 and 16 times 65,535; a head of 2 and the rest.
      s.struct({ a: s.list(s.bytes(65_532), 16), b: s.bytes(6) }),
      s.struct({ a: s.list(s.bytes(65_532), 16), b: s.bytes(7) }),
      "it can take 1048577 bytes, which is over 1048576"
    ],
    [
      "schema.list",
      s.list(s.struct({ a: s.u8() }), 2, { default: [] }),
      s.list(s.struct({ a: s.u8() }), 2, { default: [{ a: 1 }] }),
      "default: only a list of plain kinds has one"
    ],
    ["schema.default", s.u8({ default: 255 }), s.u8({ default: 256 }), "default: 256 is outside"],
    [
      "schema.default",
      s.string(1, { default: "a" }),
      s.string(1, { default: "ab" }),
      "default: 2 bytes of UTF-8 are over 1"
    ]
  ])(
    "[%s] a field at its bound builds, past it throws and names the field",
    (...[, ok, past, message]) => {
      expect(() => oneField(ok)).not.toThrow()
      expect(() => oneField(past)).toThrow(SchemaError)
      expect(() => oneField(past)).toThrow(/^entities\.units\.hp([^ ]*| key): /)
      expect(() => oneField(past)).toThrow(message)
    }
  )
})

describe("names", () => {
  test.each<[Partial<SchemaDefinition>, string]>([
    [{ entities: { "1st": {} } }, "entities.1st: a name is a letter"],
    [{ entities: { units: { "a b": s.u8() } } }, "entities.units.a b: a name is a letter"],
    [{ entities: { units: { id: s.u8() } } }, "entities.units.id: the name is taken"],
    [{ entities: { units: { toString: s.u8() } } }, "units.toString: the name is taken"],
    [{ entities: { constructor: {} } }, "entities.constructor: the name is taken"],
    [{ entities: { a: {} }, singletons: { a: {} } }, "entities.a: the name is there twice"],
    [{ messages: { "": s.untyped() } }, "messages.: a name is a letter"],
    [{ type: "Arena" }, "type: must be"],
    [{ type: "" }, "type: must be"],
    [{ player: { friend: s.ref("units") } }, "player.friend: an entity id cannot be persisted"]
  ])("[schema.throws-at-build] %o throws when it is defined", (part, message) => {
    expect(() => define(part)).toThrow(SchemaError)
    expect(() => define(part)).toThrow(message)
  })

  test("[schema.throws-at-build] messages and RPCs may be named like chat:send", () => {
    expect(() =>
      define({ messages: { "chat:send-all.v1": {} }, rpc: { client: { "a.b": {} } } })
    ).not.toThrow()
  })

  test("[schema.throws-at-build] refuses a value that is no field by its name, and does not crash", () => {
    const parts: ReadonlyArray<[unknown, string]> = [
      [{ entities: { units: { hp: 3 } } }, "entities.units.hp: not a field made by s"],
      [{ entities: { units: { hp: { kind: "u8" } } } }, "entities.units.hp: not a field"],
      [{ entities: { units: s.u8() } }, "entities.units: must be an object of fields"],
      [
        { entities: { units: { at: s.struct({ x: 3 as never }) } } },
        "units.at.x: not a field made"
      ],
      [
        { entities: { units: { at: s.struct(null as never) } } },
        "units.at: a struct needs a field"
      ],
      [{ entities: { units: { at: s.map(s.u8(), 3 as never) } } }, "units.at[]: not a field made"],
      [{ entities: [] }, "entities: must be an object"],
      [{ messages: { chat: null } }, "messages.chat: must be an object"],
      [{ rpc: { client: { call: null } } }, "rpc.client.call: must be an object"],
      [{ class: "huge" }, "class: must be standard, large or xlarge"],
      [{ type: 3 }, "type: must be"]
    ]
    for (const [part, message] of parts) {
      // Plain JavaScript may pass anything.
      expect(() => define(part as Partial<SchemaDefinition>)).toThrow(message)
    }
  })
})

describe("schema", () => {
  test("[D-24] shapes keep their order and can be found by name", () => {
    const schema = defineSchema({
      type: "arena",
      singletons: { score: { red: s.u16() } },
      entities: { b: { x: s.f32(), y: s.f32() }, a: {} },
      messages: { chat: { text: s.string(9) }, raw: s.untyped() },
      rpc: { client: { place: { args: { cell: s.u8() }, durable: true } }, server: { ask: {} } }
    })
    expect(schema.collections.list.map(({ name, index }) => [name, index])).toEqual([
      ["b", 0],
      ["a", 1]
    ])
    expect(schema.messages.byName.get("raw")).toMatchObject({ index: 1, fields: null })
    expect(schema.rpc.client.byName.get("place")).toMatchObject({ index: 0, durable: true })
    expect(schema.rpc.server.byName.get("ask")).toMatchObject({ args: [], durable: false })
    expect(schema).toMatchObject({
      class: "standard",
      maxClients: 64,
      tickHz: 0,
      hibernateAfterMs: 30_000,
      reconnectForMs: 20_000,
      retention: null,
      queue: null,
      voice: null,
      replay: null,
      physics: null,
      project: null
    })
  })

  test("[D-44] a replay that says nothing holds 60 seconds, and its clips are kept 30 days", () => {
    expect(defineSchema({ type: "arena", replay: {} }).replay).toEqual({ seconds: 60, ttl: "30d" })
  })
})

/** So many kinds in one another, and optionals between them, which do not count. */
function nested(depth: number): AnyField {
  let field: AnyField = s.u8()
  for (let level = 0; level < depth; level += 1) {
    const holder: AnyField = level % 2 === 0 ? s.struct({ a: field }) : s.list(field, 2)
    field = s.optional(holder)
  }
  return field
}

function renamed(count: number): Record<string, Fields> {
  return Object.fromEntries(Array.from({ length: count }, (_, place) => [`s${place}`, {}]))
}

function choices(count: number): AnyField {
  return s.enum("c", ...Array.from({ length: count - 1 }, (_, place) => `c${place}`))
}

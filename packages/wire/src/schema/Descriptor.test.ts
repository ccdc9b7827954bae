import fc from "fast-check"
import { describe, expect, test } from "vitest"

import {
  breakingDifference,
  defineSchema,
  describe as descriptorOf,
  fromDescriptor,
  s,
  schemaHash,
  SchemaError,
  type SchemaDefinition
} from "../schema.ts"
import { arbitrarySchema } from "./testing/ArbitrarySchema.ts"

const definition = {
  type: "arena",
  class: "large",
  maxClients: 8,
  tickHz: 20,
  retention: "30d",
  queue: "duo",
  voice: { participants: 8 },
  replay: { seconds: 90 },
  physics: { dimensions: 3 },
  project: "p_0123456789abcdef",
  entities: {
    players: {
      name: s.string(32, { default: "you" }),
      hp: s.u8({ default: 100 }),
      team: s.enum("red", "blue"),
      target: s.ref("players"),
      path: s.list(s.u16(), 16, { default: [1] }),
      speed: s.quantised({ min: 0, max: 10, step: 0.1 }),
      pic: s.bytes(64, { default: Uint8Array.of(1, 255) })
    }
  },
  singletons: { score: { red: s.u16() } },
  messages: { chat: { text: s.string(200) }, anything: s.untyped() },
  rpc: {
    client: { place: { args: { cell: s.u8() }, returns: s.untyped(), durable: true } },
    server: { ask: {} }
  },
  player: { wins: s.u32() }
} satisfies SchemaDefinition

describe("descriptor", () => {
  test("[D-24] it is plain JSON, with all that a foreign client needs", () => {
    const json: unknown = JSON.parse(JSON.stringify(descriptorOf(defineSchema(definition))))
    expect(json).toEqual({
      format: 1,
      type: "arena",
      class: "large",
      maxClients: 8,
      tickHz: 20,
      hibernateAfterMs: 30_000,
      reconnectForMs: 20_000,
      retention: "30d",
      queue: "duo",
      voice: { participants: 8 },
      replay: { seconds: 90, ttl: "30d" },
      physics: { dimensions: 3, history: 0 },
      project: "p_0123456789abcdef",
      singletons: [{ name: "score", fields: [{ name: "red", kind: "u16" }] }],
      entities: [
        {
          name: "players",
          fields: [
            { name: "name", kind: "string", maxBytes: 32, default: "you" },
            { name: "hp", kind: "u8", default: 100 },
            { name: "team", kind: "enum", choices: ["red", "blue"] },
            { name: "target", kind: "ref", collection: "players" },
            { name: "path", kind: "list", of: { kind: "u16" }, maxLength: 16, default: [1] },
            { name: "speed", kind: "quantised", min: 0, max: 10, step: 0.1, default: 0 },
            { name: "pic", kind: "bytes", maxBytes: 64, default: "01ff" }
          ]
        }
      ],
      messages: [
        { name: "chat", fields: [{ name: "text", kind: "string", maxBytes: 200 }] },
        { name: "anything" }
      ],
      rpc: {
        client: [
          { name: "place", args: [{ name: "cell", kind: "u8" }], returns: "untyped", durable: true }
        ],
        server: [{ name: "ask" }]
      },
      player: [{ name: "wins", kind: "u32" }]
    })
  })

  test("[C-664] kinds that hold others have the format 2, and all others 1", () => {
    const bag = s.map(s.string(8), s.struct({ count: s.u8({ default: 1 }), mark: s.bool() }), 4)
    const schema = defineSchema({
      type: "nested",
      singletons: { all: { bag, cells: s.list(s.list(s.u8(), 3), 3), aim: s.optional(s.f32()) } }
    })
    const { format, singletons } = descriptorOf(schema)
    expect({ format, singletons }).toEqual({
      format: 2,
      singletons: [
        {
          name: "all",
          fields: [
            {
              name: "bag",
              kind: "map",
              key: { kind: "string", maxBytes: 8 },
              value: {
                kind: "struct",
                fields: [
                  { name: "count", kind: "u8", default: 1 },
                  { name: "mark", kind: "bool" }
                ]
              },
              maxEntries: 4
            },
            {
              name: "cells",
              kind: "list",
              of: { kind: "list", of: { kind: "u8" }, maxLength: 3 },
              maxLength: 3
            },
            { name: "aim", kind: "optional", of: { kind: "f32" } }
          ]
        }
      ]
    })
    expect(schemaHash(schema)).toBe("5f118ee463d25f9c")
    const inside: ReadonlyArray<Partial<SchemaDefinition>> = [
      { entities: { a: { f: s.optional(s.u8()) } } },
      { messages: { m: { f: s.list(s.list(s.u8(), 1), 1) } } },
      { rpc: { client: { call: { args: { f: bag } } } } },
      { rpc: { server: { call: { returns: { f: bag } } } } },
      { player: { f: bag } }
    ]
    for (const part of inside) {
      expect(descriptorOf(defineSchema({ type: "t", ...part })).format).toBe(2)
    }
  })

  test("[D-24] a schema comes back equal from its descriptor", () => {
    fc.assert(
      fc.property(arbitrarySchema, (schema) => {
        const descriptor = descriptorOf(schema)
        const back = fromDescriptor(JSON.parse(JSON.stringify(descriptor)))
        expect(descriptorOf(back)).toEqual(descriptor)
        expect(schemaHash(back)).toBe(schemaHash(schema))
        expect(breakingDifference(schema, back)).toBeNull()
      }),
      { numRuns: 300 }
    )
  })

  test("[D-24] any JSON is a schema or a SchemaError", () => {
    const base = JSON.stringify(descriptorOf(defineSchema(definition)))
    const paths = pathsOf(JSON.parse(base))
    const onlySchemaErrors = (json: unknown): void => {
      try {
        fromDescriptor(json)
      } catch (fault) {
        expect(fault).toBeInstanceOf(SchemaError)
      }
    }
    fc.assert(fc.property(fc.jsonValue(), onlySchemaErrors), { numRuns: 500 })
    // A message that names one of these would throw by itself.
    for (const path of paths) onlySchemaErrors(replaced(JSON.parse(base), path, { toString: 0 }))
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        onlySchemaErrors(replaced(JSON.parse(base), path, value))
      }),
      { numRuns: 3000 }
    )
  })

  test.each<[string, ReadonlyArray<string | number>, unknown, string]>([
    ["another format", ["format"], 3, "format: this version reads 1 and 2 only"],
    ["a missing part", ["rpc"], null, "rpc: must be an object"],
    ["an unknown kind", ["entities", 0, "fields", 1, "kind"], "u64", "entities.players.hp: "],
    [
      "a default past its kind",
      ["entities", 0, "fields", 1, "default"],
      256,
      "players.hp: default"
    ],
    ["a step of 0", ["entities", 0, "fields", 5, "step"], 0, "entities.players.speed: step 0"],
    [
      "a ref to nothing",
      ["entities", 0, "fields", 3, "collection"],
      "x",
      "entities.players.target"
    ],
    [
      "a name twice",
      ["entities", 0, "fields", 1, "name"],
      "name",
      "players.name: the name is there"
    ],
    [
      "kinds in one another past their bound",
      ["entities", 0, "fields", 4, "of"],
      nested(5),
      "players.path: more than 4 structs"
    ],
    [
      "kinds in one another past any bound",
      ["entities", 0, "fields", 4, "of"],
      nested(1000),
      "nested too deeply"
    ],
    [
      "a struct field without a name",
      ["entities", 0, "fields", 0],
      { name: "at", kind: "struct", fields: [{ kind: "u8" }] },
      "players.at[0].name: must be text"
    ],
    [
      "a list of nothing",
      ["entities", 0, "fields", 4, "of"],
      { kind: "list" },
      "path.of.of: must be"
    ],
    [
      "a proto name",
      ["messages", 0, "name"],
      "__proto__",
      "messages.__proto__: a name is a letter"
    ],
    ["odd hex", ["entities", 0, "fields", 6, "default"], "abc", "players.pic.default: must be hex"]
  ])("[D-24] %s is refused by name", (...[, path, value, message]) => {
    const json: unknown = JSON.parse(JSON.stringify(descriptorOf(defineSchema(definition))))
    expect(() => fromDescriptor(replaced(json, path, value))).toThrow(SchemaError)
    expect(() => fromDescriptor(replaced(json, path, value))).toThrow(message)
  })
})

describe("schemaHash", () => {
  const hash = (part: Partial<SchemaDefinition>): string =>
    schemaHash(defineSchema({ ...definition, ...part }))

  test("[D-24] it is the same in every process and version", () => {
    expect(hash({})).toBe("e4653080724548c4")
    expect(schemaHash(defineSchema({ type: "bare" }))).toBe("011006fc5b5a4e0e")
  })

  test("[D-24] only the layout counts, and not the order of options", () => {
    const same: ReadonlyArray<Partial<SchemaDefinition>> = [
      { type: "other" },
      { class: "xlarge", maxClients: 9, tickHz: 1, hibernateAfterMs: 1, reconnectForMs: 1 },
      { retention: null },
      { queue: "ranked" },
      { voice: { participants: 2 } },
      { replay: { seconds: 1, ttl: "1d" } },
      { physics: { dimensions: 2, history: 9 } },
      {
        rpc: {
          client: { place: { returns: s.untyped(), args: { cell: s.u8() } } },
          server: { ask: { args: {}, returns: {} } }
        }
      },
      { singletons: { score: { red: s.u16({ default: 0 }) } } }
    ]
    expect(same.map(hash)).toEqual(same.map(() => hash({})))
    const options = (max: { readonly max: number; readonly min: number; readonly step: number }) =>
      schemaHash(defineSchema({ type: "t", singletons: { a: { q: s.quantised(max) } } }))
    expect(options({ step: 1, max: 4, min: 0 })).toBe(options({ min: 0, max: 4, step: 1 }))
  })

  test("[D-24] names, order, kinds, bounds and defaults count", () => {
    const others: ReadonlyArray<Partial<SchemaDefinition>> = [
      { singletons: { score: { blue: s.u16() } } },
      { singletons: { scores: { red: s.u16() } } },
      { singletons: { score: { red: s.u32() } } },
      { singletons: { score: { red: s.u16({ default: 1 }) } } },
      { messages: { anything: s.untyped(), chat: { text: s.string(200) } } },
      { messages: { chat: { text: s.string(201) }, anything: s.untyped() } },
      { rpc: { client: {}, server: { ask: {} } } },
      { player: {} }
    ]
    expect(new Set([...others.map(hash), hash({})]).size).toBe(others.length + 1)
  })
})

/** The JSON of so many lists in one another. */
function nested(depth: number): unknown {
  let json: unknown = { kind: "u8" }
  for (let level = 0; level < depth; level += 1) json = { kind: "list", of: json, maxLength: 2 }
  return json
}

type Path = ReadonlyArray<string | number>

function pathsOf(json: unknown): ReadonlyArray<Path> {
  if (typeof json !== "object" || json === null) return []
  return Object.entries(json).flatMap(([key, value]): ReadonlyArray<Path> => {
    const step = Array.isArray(json) ? Number(key) : key
    return [[step], ...pathsOf(value).map((path) => [step, ...path])]
  })
}

function replaced(json: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof json !== "object" || json === null) return json
  const entry: unknown = Reflect.get(json, step)
  Object.defineProperty(json, step, {
    value: replaced(entry, rest, value),
    enumerable: true,
    configurable: true,
    writable: true
  })
  return json
}

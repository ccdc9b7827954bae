import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { defineSchema } from "./DefineSchema.ts"
import type { SchemaDefinition } from "./Definition.ts"
import { describe as describeSchema } from "./Describe.ts"
import { s } from "./FieldKinds.ts"
import { fromDescriptor } from "./FromDescriptor.ts"
import { describeHidden, storedDescriptor, withHidden } from "./HiddenState.ts"
import { SchemaError } from "./SchemaError.ts"
import { schemaHash } from "./SchemaHash.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import { arbitrarySchema } from "./testing/ArbitrarySchema.ts"

// Everything that a schema can say, so that nothing of it is lost beside hidden state.
const open = defineSchema({
  type: "cards",
  class: "large",
  maxClients: 9,
  tickHz: 7,
  hibernateAfterMs: 1234,
  reconnectForMs: 4321,
  retention: "3d",
  queue: "duo",
  voice: { participants: 4 },
  replay: { seconds: 30, ttl: "7d" },
  physics: { dimensions: 2, history: 5 },
  project: "p_0123456789abcdef",
  entities: { seats: { bid: s.u8() } },
  singletons: { table: { round: s.u8() } },
  messages: { say: { text: s.string(8) }, any: s.untyped() },
  rpc: { client: { play: { args: { card: s.u8() }, durable: true } }, server: { ask: {} } },
  player: { wins: s.u8() }
} satisfies Required<SchemaDefinition>)
const secrets = {
  entities: { bets: { of: s.ref("seats"), amount: s.u16() } },
  singletons: { deck: { next: s.u8() } }
}

describe("the schema of what is stored", () => {
  test("[C-721] it is the public one with the hidden shapes after its own, and the public one stays as it is", () => {
    const before = schemaHash(open)
    const stored = withHidden(open, secrets)
    expect(stored.singletons.list.map(({ name }) => name)).toEqual(["table", "deck"])
    expect(stored.collections.list.map(({ name }) => name)).toEqual(["seats", "bets"])
    expect({ ...describeSchema(stored), entities: [], singletons: [] }).toEqual({
      ...describeSchema(open),
      entities: [],
      singletons: []
    })
    expect([schemaHash(open), schemaHash(stored) === before]).toEqual([before, false])
    expect(JSON.stringify(describeSchema(open))).not.toMatch(/bets|deck|amount|next/)
  })

  test.each([[{}], [{ entities: {} }], [{ singletons: {}, entities: {} }]])(
    "[C-721] without hidden state it is the public schema itself",
    (hidden) => {
      expect(withHidden(open, hidden)).toBe(open)
      expect(describeHidden(open, open)).toBeNull()
    }
  )

  test("[C-721] its descriptor is that of the public one and of the hidden shapes", () => {
    fc.assert(
      fc.property(arbitrarySchema, arbitrarySchema, (schema, other) => {
        const { singletons, entities } = describeSchema(other)
        const renamed = [...singletons, ...entities].map((shape) => ({
          ...shape,
          name: `h${shape.name}`
        }))
        const all = fromDescriptor(
          storedDescriptor(describeSchema(schema), { singletons: renamed, entities: [] })
        )
        const hidden = describeHidden(schema, all)
        if (hidden === null) throw new Error("there are hidden shapes")
        const again = fromDescriptor(storedDescriptor(describeSchema(schema), hidden))
        expect([schemaHash(again), hidden.schemaHash]).toEqual([schemaHash(all), schemaHash(all)])
      }),
      { numRuns: 30 }
    )
  })

  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, {}]))
  // The table and the seats are there already.
  const room = SchemaLimits.schemaCollections.max - 2

  test.each<[string, object, string]>([
    ["an unknown key", { entity: {} }, "hidden.entity: unknown key"],
    [
      "a name of the public state",
      { entities: { seats: {} } },
      "hidden: entities.seats: the name is there twice"
    ],
    [
      "a name of the other kind",
      { singletons: { seats: {} } },
      "hidden: entities.seats: the name is there twice"
    ],
    ["no object", { entities: 3 }, "hidden: entities: must be an object"],
    [
      "no field",
      { singletons: { deck: { next: 3 } } },
      "hidden: singletons.deck.next: not a field"
    ],
    [
      "one past the limit",
      { singletons: names(room + 1) },
      "hidden: entities and singletons: 256 are over 255"
    ]
  ])("[C-721] is refused by name: %s", (_, hidden, message) => {
    const build = () => withHidden(open, hidden as never)
    expect(build).toThrow(SchemaError)
    expect(build).toThrow(message)
  })

  test("[C-721] all shapes count together for the limit of a schema", () => {
    expect(withHidden(open, { singletons: names(room) }).singletons.list).toHaveLength(room + 1)
  })
})

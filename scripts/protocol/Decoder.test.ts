import { type AnyRoomSchema, schemaHash } from "@atrium/sdk/schema"
import { packMsgpack, unpackMsgpack } from "@atrium/spec-tests/codec/Msgpack"
import { WireState } from "@atrium/spec-tests/codec/WireState"
import {
  defaultOf,
  packRecord as packByDocument,
  schemaHashOf,
  unpackRecord as unpackByDocument
} from "@atrium/spec-tests/codec/WireValues"
import { makeRoomState, packRecord, stateHash, unpackRecord } from "@atrium/wire/codec"
import { plainForm } from "@atrium/wire/codec/PlainForm"
import { historyOf, takeStep } from "@atrium/wire/codec/testing/History"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { arbitrarySchema, partialValue } from "@atrium/wire/schema/testing/ArbitrarySchema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { plainDescriptor } from "./PlainDescriptor.ts"

const keysReversed = <A>(value: A): A =>
  JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).reverse())
      : item
  )

const schemaAndHistory = arbitrarySchema.chain((schema) =>
  historyOf(schema).map((history) => ({ schema, history }))
)

describe("a decoder written from docs/protocol.md", () => {
  test("[D-24] follows any history of any schema, byte for byte, from its start or from a welcome", () => {
    let deltas = 0
    fc.assert(
      fc.property(schemaAndHistory, ({ schema, history }) => {
        const room = makeRoomState<AnyRoomSchema>(schema)
        const descriptor = plainDescriptor(schema)
        const early = new WireState(descriptor)
        early.applyFull(room.encodeFull())
        let late = early
        for (const step of [...history, { kind: "flush" } as const]) {
          takeStep(room, step)
          if (step.kind !== "flush") continue
          const delta = room.encodeDelta()
          if (delta !== null) {
            deltas += 1
            for (const state of new Set([early, late])) state.applyDelta(delta)
          }
          const full = room.encodeFull()
          expect(early.encodeFull()).toEqual(full)
          expect(late.hash()).toBe(stateHash(full))
          late = new WireState(descriptor)
          late.applyFull(full)
          expect(late.singletons).toEqual(early.singletons)
          expect(late.collections).toEqual(early.collections)
        }
      }),
      { numRuns: 200 }
    )
    // The histories did something at all.
    expect(deltas).toBeGreaterThan(300)
  })

  test("[D-24] makes and reads the records of any schema as the SDK does", () => {
    const schemaAndRecord = arbitrarySchema.chain((schema) => {
      const fields = schema.rpc.client.list[0]?.args ?? []
      return partialValue(fields).map((value) => ({ schema, fields, value }))
    })
    fc.assert(
      fc.property(schemaAndRecord, ({ schema, fields, value }) => {
        const args = plainDescriptor(schema).rpc.client[0]?.args ?? []
        if (args === "untyped") throw new Error("the arguments have fields")
        const packed = packRecord(fields, value, "args")
        expect(packByDocument(args, value)).toEqual(packed)
        expect(unpackByDocument(args, packed)).toEqual(unpackRecord(fields, packed))
        // Maps of either side are of classes of their own.
        const defaults = Object.fromEntries(args.map((field) => [field.name, defaultOf(field)]))
        expect(plainForm(defaults)).toEqual(
          plainForm(Object.fromEntries(fields.map(({ name, field }) => [name, field.default])))
        )
      }),
      { numRuns: 200 }
    )
  })

  test("[D-24] has the same schema hash from the descriptor alone", () => {
    fc.assert(
      fc.property(arbitrarySchema, (schema) => {
        // A store or a client's map may have lost the order of the keys.
        for (const descriptor of [plainDescriptor(schema), keysReversed(plainDescriptor(schema))]) {
          expect(schemaHashOf(descriptor)).toBe(schemaHash(schema))
        }
      }),
      { numRuns: 200 }
    )
  })

  test("[D-24] reads any msgpack of the service, and the service's reader any of its own", () => {
    const key = fc.string().filter((text) => text !== "__proto__")
    // The suite's codec writes -0 as the whole number 0.
    const number = fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0))
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.constant(null), fc.boolean(), fc.maxSafeInteger(), number),
        fc.oneof(fc.string({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 })),
        fc.array(tie("value"), { maxLength: 20 }),
        fc.dictionary(key, tie("value"), { noNullPrototype: true, maxKeys: 20 })
      )
    }))
    fc.assert(
      fc.property(value, (given) => {
        expect(unpackMsgpack(packValue(given))).toEqual(given)
        expect(unpackValue(packMsgpack(given))).toEqual(given)
      })
    )
  })
})

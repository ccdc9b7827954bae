import { defineSchema, s } from "@atrium/sdk/schema"
import { expect, test } from "vitest"

import { gameSizes } from "./GameSizes.ts"

test("[C-263] sizes are those of the codec, to the byte", () => {
  const score = defineSchema({ type: "a", singletons: { score: { red: s.u8(), blue: s.u16() } } })
  // Two fixed-width numbers; a patch has its frame, the place of the singleton and what changed.
  const { stateBytes, patchBytes, upBytes } = gameSizes(score)
  expect({ stateBytes, upBytes }).toEqual({ stateBytes: 3, upBytes: 5 })
  expect(patchBytes).toBeGreaterThan(10 + 3)
  expect(patchBytes).toBeLessThan(10 + 8)
})

test("[C-263] sizes are of a full room, and fractional fields change in each patch", () => {
  const of = (maxClients: number, moves: boolean) =>
    gameSizes(
      defineSchema({
        type: "a",
        maxClients,
        entities: { ships: { x: moves ? s.f32() : s.u32(), name: s.string(64) } },
        messages: { turn: { angle: s.f32() }, say: { text: s.string(200) } }
      })
    )
  const [few, many] = [of(10, true), of(100, true)]
  // Each ship has four bytes, and 16 of 64 letters of a name.
  expect(many.stateBytes - few.stateBytes).toBeGreaterThanOrEqual(90 * (4 + 16))
  expect(many.stateBytes - few.stateBytes).toBeLessThanOrEqual(90 * (4 + 16 + 4))
  expect(many.patchBytes - few.patchBytes).toBeGreaterThanOrEqual(90 * 4)
  expect(many.patchBytes - few.patchBytes).toBeLessThanOrEqual(90 * 6)
  // Nothing moves: one ship of them changes.
  expect(of(100, false).patchBytes).toBe(of(10, false).patchBytes)
  expect(many.upBytes).toBe(5 + 17)
})

test.each([
  ["an optional number", s.optional(s.f32())],
  ["a struct", s.struct({ x: s.f32() })],
  ["an optional struct", s.optional(s.struct({ x: s.f32() }))]
])("[C-263] a fractional number changes in each patch within %s", (_, at) => {
  const of = (maxClients: number) =>
    gameSizes(defineSchema({ type: "a", maxClients, entities: { ships: { at, hp: s.u8() } } }))
  expect(of(100).patchBytes - of(10).patchBytes).toBeGreaterThanOrEqual(90 * 4)
})

test("[C-263] a schema with every kind of field has sizes", () => {
  const all = defineSchema({
    type: "all",
    maxClients: 2,
    entities: {
      things: {
        bool: s.bool(),
        i8: s.i8(),
        u8: s.u8(),
        i16: s.i16(),
        u16: s.u16(),
        i32: s.i32(),
        u32: s.u32(),
        f32: s.f32(),
        f64: s.f64(),
        step: s.quantised({ min: -1, max: 1, step: 0.01 }),
        text: s.string(4),
        bytes: s.bytes(4),
        choice: s.enum("a", "b"),
        other: s.ref("things"),
        list: s.list(s.string(1), 9)
      }
    }
  })
  expect(gameSizes(all).stateBytes).toBeGreaterThan(2 * 50)
})

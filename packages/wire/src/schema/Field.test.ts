import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { s } from "../schema.ts"
import type { AnyField } from "./Field.ts"
import { arbitraryField, fieldValue } from "./testing/ArbitrarySchema.ts"

const fieldAndValue = arbitraryField(true).chain((field) =>
  fieldValue(field.spec).map((value) => ({ field, value }))
)

/** What a field makes of a value: the public form of its stored form. */
const kept = (field: AnyField, value: unknown): unknown => {
  const number = field.toNumber(value)
  return Number.isNaN(number) ? field.fromStored(field.toStored(value)) : field.fromNumber(number)
}

const isNumber = (field: AnyField): boolean => !Number.isNaN(field.toNumber(field.default))

describe("fields", () => {
  test("[D-24] keeping a value twice changes nothing", () => {
    fc.assert(
      fc.property(fieldAndValue, ({ field, value }) => {
        expect(field.check(value)).toBeNull()
        const once = kept(field, value)
        expect(field.check(once)).toBeNull()
        expect(kept(field, once)).toEqual(once)
        expect(field.normal(value)).toEqual(once)
        expect(field.check(field.default)).toBeNull()
      }),
      { numRuns: 2000 }
    )
  })

  test("[error.app-data-never-trimmed] a value fits exactly when it has a stored form", () => {
    fc.assert(
      fc.property(arbitraryField(true), fc.anything(), (field, value) => {
        const fits = field.check(value) === null
        // Of other kinds a stored form is only asked for a value that fits.
        if (isNumber(field)) expect(!Number.isNaN(field.toNumber(value))).toBe(fits)
        else if (fits) expect(field.check(field.toStored(value))).toBeNull()
      }),
      { numRuns: 2000 }
    )
  })

  test.each<[AnyField, ReadonlyArray<unknown>, ReadonlyArray<unknown>]>([
    [s.bool(), [true, false], [0, 1, "true", null]],
    [s.u8(), [0, 255], [-1, 256, 0.5, "1", 1n, Number.NaN]],
    [s.i8(), [-128, 127], [-129, 128]],
    [s.u16(), [0, 65_535], [-1, 65_536]],
    [s.i16(), [-32_768, 32_767], [-32_769, 32_768]],
    [s.u32(), [0, 4_294_967_295], [-1, 4_294_967_296]],
    [s.i32(), [-2_147_483_648, 2_147_483_647], [-2_147_483_649, 2_147_483_648]],
    [s.f32(), [3.4028234663852886e38, -1e-50], [3.5e38, Number.NaN, Number.NEGATIVE_INFINITY]],
    [s.f64(), [Number.MAX_VALUE, -Number.MAX_VALUE], [Number.NaN, Number.POSITIVE_INFINITY]],
    [s.quantised({ min: -1, max: 1, step: 0.5 }), [-1, 1, 0.3], [-1.01, 1.01, Number.NaN]],
    [s.string(3), ["abc", "é", "€"], ["abcd", "éé", "\udc00"]],
    [s.bytes(2), [new Uint8Array(2)], [new Uint8Array(3), [1], "ab", new Uint16Array(1)]],
    [s.enum("a", "b"), ["a", "b"], ["c", 0, "toString"]],
    [s.ref("c0"), [0, 4_294_967_295], [-1, 4_294_967_296, null]],
    [
      s.struct({ a: s.u8(), b: s.optional(s.u8()) }),
      [{}, { a: 1 }, { a: 255, b: undefined }, { a: 1, b: null }],
      [null, [], 1, { a: 256 }, { c: 1 }, { a: 1, b: 256 }]
    ],
    [
      s.map(s.string(1), s.u8(), 1),
      [new Map(), new Map([["a", 1]]), [["a", 255]], []],
      [
        { a: 1 },
        "a",
        null,
        [["a"]],
        [["a", 1, 2]],
        [["ab", 1]],
        [["a", 256]],
        [
          ["a", 1],
          ["b", 1]
        ]
      ]
    ],
    [s.optional(s.u8()), [undefined, null, 0, 255], [256, "", false]],
    [s.list(s.u8(), 2), [[], [1, 2]], [[1, 2, 3], [256], new Uint8Array(1), [undefined]]]
  ])("[D-24] both sides of every bound (%#)", (field, good, bad) => {
    expect(good.map((value) => field.check(value))).toEqual(good.map(() => null))
    for (const value of bad) expect(field.check(value)).toEqual(expect.any(String))
  })

  test("[D-24] every step of a quantised field is one number, the nearest decimal one", () => {
    const field = s.quantised({ min: 0, max: 10, step: 0.1 })
    for (let step = 0; step <= 100; step += 1) {
      expect(field.fromNumber(step)).toBe(step / 10)
      expect(field.toNumber(step / 10)).toBe(step)
    }
    // Here the sum of min and the span is past max in floating point.
    const odd = s.quantised({ min: -0.1, max: 0.2, step: 0.1 })
    expect(odd.fromNumber(odd.toNumber(0.2))).toBe(0.2)
  })
})

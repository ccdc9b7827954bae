import fc from "fast-check"
import { Packr, unpack } from "msgpackr"
import { describe, expect, test } from "vitest"

import { DepthMax, MsgpackError, unpackValue } from "./MsgpackReader.ts"
import { packValue } from "./MsgpackWriter.ts"

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    // The other implementation writes -0 as the whole number 0.
    fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value)),
    fc.string({ unit: "grapheme" }),
    fc.uint8Array(),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 20, noNullPrototype: true }
    )
  )
})).value

const foreign = new Packr({ useRecords: false, moreTypes: false })
const hex = (text: string): Uint8Array => Uint8Array.fromHex(text.replaceAll(" ", ""))

describe("plain msgpack", () => {
  test("[D-24] reads back every written value", () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(unpackValue(packValue(value))).toEqual(value)
      })
    )
  })

  test("[D-24] another implementation reads what is written, and is read", () => {
    fc.assert(
      fc.property(plain, (value) => {
        const bytes = packValue(value)
        expect(unpackValue(new Uint8Array(foreign.pack(unpack(bytes))))).toEqual(value)
      })
    )
  })

  test.each([
    ["array of 2^32 - 1 items", "dd ffffffff"],
    ["map of 2^32 - 1 items", "df ffffffff"],
    ["binary of 4 GiB", "c6 ffffffff"],
    ["text of 4 GiB", "db ffffffff"],
    ["extension: fixext", "d4 00 00"],
    ["extension: ext 8", "c7 01 05 00"],
    ["extension: timestamp", "d6 ff 00000000"],
    ["reserved byte", "c1"],
    ["nothing", ""],
    ["text that is not UTF-8", "a1 ff"],
    ["a key of nil", "81 c0 01"],
    ["a key that would be the prototype", "81 a9 5f5f70726f746f5f5f 80"],
    ["two values", "01 02"]
  ])("[D-24] hostile bytes are refused: %s", (_, bytes) => {
    expect(() => unpackValue(hex(bytes))).toThrow(MsgpackError)
  })

  test("[D-24] nesting is refused past its bound, not before", () => {
    const nested = (depth: number): Uint8Array =>
      new Uint8Array([...Array.from({ length: depth }, () => 0x91), 0xc0])
    expect(() => unpackValue(nested(DepthMax))).not.toThrow()
    expect(() => unpackValue(nested(DepthMax + 1))).toThrow("nested too deeply")
    expect(() => unpackValue(nested(1_000_000))).toThrow(MsgpackError)
  })

  test("[D-24] any bytes give a value or a MsgpackError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          unpackValue(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(MsgpackError)
        }
      }),
      { numRuns: 2000 }
    )
  })

  test.each([
    ["a Date", new Date(0), "class Date"],
    ["a Map", new Map(), "class Map"],
    ["a function", () => 1, "a function"],
    ["a symbol", Symbol("x"), "a symbol"],
    ["a bigint of 65 bits", 2n ** 64n, "64 bits"]
  ])("[D-24] a value without a plain form is refused with its kind: %s", (_, value, text) => {
    expect(() => packValue({ value })).toThrow(text)
  })

  test("[D-24] a value that holds itself is refused", () => {
    const loop: unknown[] = []
    loop.push(loop)
    expect(() => packValue(loop)).toThrow("nested too deeply")
  })

  test("[D-24] 64-bit numbers keep their value", () => {
    for (const value of [2n ** 64n - 1n, -(2n ** 63n), 2n ** 63n - 1n]) {
      expect(unpackValue(packValue(value))).toBe(value)
    }
  })
})

import * as fc from "fast-check"
import { expect, test } from "vitest"

import { packMsgpack, unpackMsgpack } from "./Msgpack.ts"

const bytes = (...codes: ReadonlyArray<number>): Uint8Array => Uint8Array.from(codes)
const nested = (depth: number): Uint8Array =>
  bytes(...Array.from({ length: depth }, () => 0x91), 0xc0)

test.each<[what: string, document: Uint8Array, says: string]>([
  ["nothing", bytes(), "the end is missing"],
  ["an array of 15 in one byte", bytes(0x9f), "15 values claimed in 0 bytes"],
  [
    "an array of four billion",
    bytes(0xdd, 255, 255, 255, 255, 0xc0),
    "4294967295 values claimed in 1 bytes"
  ],
  ["a map of two billion", bytes(0xdf, 128, 0, 0, 0, 0xc0), "4294967296 values claimed in 1 bytes"],
  [
    "two arrays that share their bytes",
    bytes(0x92, 0x92, 0xc0, 0xc0),
    "3 values claimed in 2 bytes"
  ],
  ["a text past the end", bytes(0xdb, 255, 255, 255, 255), "4294967295 bytes claimed, and 0 there"],
  ["a short text past the end", bytes(0xa2, 65), "2 bytes claimed, and 1 there"],
  ["a binary past the end", bytes(0xc4, 2, 1), "2 bytes claimed, and 1 there"],
  ["a length that is cut", bytes(0xdc, 0), "the end is missing"],
  ["a number that is cut", bytes(0xcb, 0), "8 bytes claimed, and 1 there"],
  ["a value behind the value", bytes(0xc0, 0xc0), "1 bytes too many"],
  ["an extension", bytes(0xc7, 1, 0, 0), "the type 0xc7"],
  ["an extension of one byte", bytes(0xd4, 0x72, 0x40), "the type 0xd4"],
  ["the code that is never used", bytes(0xc1), "the type 0xc1"],
  ["65 arrays in each other", nested(65), "nested too deeply"]
])("[C-300] %s is refused before it is decoded", (_what, document, says) => {
  expect(() => unpackMsgpack(document)).toThrow(`no msgpack of the protocol: ${says}`)
})

test("[C-300] a value that announces exactly the bytes that follow is decoded", () => {
  expect(unpackMsgpack(bytes(0xdd, 0, 0, 0, 2, 0xc0, 0xc3))).toEqual([null, true])
  expect(unpackMsgpack(bytes(0x92, 0x91, 0xc0, 0xc2))).toEqual([[null], false])
  expect(unpackMsgpack(bytes(0xdf, 0, 0, 0, 1, 0xa1, 65, 0xc4, 1, 7))).toEqual({ A: bytes(7) })
  expect(unpackMsgpack(bytes(0xd3, 255, 255, 255, 255, 255, 255, 255, 254))).toBe(-2)
  let innermost = unpackMsgpack(nested(64))
  for (let depth = 0; depth < 64; depth++) [innermost] = Object(innermost)
  expect(innermost).toBeNull()
})

test("[C-300] hostile bytes are an error or a value that they have room for", () => {
  const sizeOf = (value: unknown): number =>
    typeof value === "object" && value !== null && !(value instanceof Uint8Array)
      ? Object.values(value).reduce<number>((sum, one) => sum + sizeOf(one), 1)
      : 1
  const codes = fc.constantFrom(0x80, 0x91, 0x92, 0xa1, 0xc0, 0xc4, 0xdc, 0xdd, 0xde, 0xdf, 0, 1, 2)
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.array(codes, { maxLength: 60 }).map((list) => Uint8Array.from(list))
  )
  let read = 0
  fc.assert(
    fc.property(hostile, (document) => {
      let value: unknown
      try {
        value = unpackMsgpack(document)
      } catch (cause) {
        expect(cause).toBeInstanceOf(Error)
        return
      }
      read += 1
      expect(sizeOf(value)).toBeLessThanOrEqual(document.length)
    }),
    { numRuns: 5000 }
  )
  expect(read).toBeGreaterThan(50)
})

test("[D-24] undefined is nil, and binaries are their own bytes", () => {
  const packed = packMsgpack([undefined, { a: undefined }, bytes(1, 2)])
  expect([...packed]).toEqual([0x93, 0xc0, 0x81, 0xa1, 97, 0xc0, 0xc4, 2, 1, 2])
  const [, , binary] = Object(unpackMsgpack(Buffer.from(packed)))
  expect(binary).toEqual(bytes(1, 2))
  expect(Buffer.isBuffer(binary)).toBe(false)
})

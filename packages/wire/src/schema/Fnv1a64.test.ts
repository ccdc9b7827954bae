import fc from "fast-check"
import { expect, test } from "vitest"

import { fnv1a64 } from "./Fnv1a64.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

test.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"]
])("[D-24] the published values of FNV-1a 64: %j", (text, hash) => {
  expect(fnv1a64(bytesOf(text))).toBe(hash)
})

test("[D-24] it is the hash that plain 64 bit arithmetic gives", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      let hash = 0xcbf29ce484222325n
      for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
      expect(fnv1a64(bytes)).toBe(hash.toString(16).padStart(16, "0"))
    })
  )
})

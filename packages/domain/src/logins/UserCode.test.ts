import fc from "fast-check"
import { expect, test } from "vitest"

import { readUserCode, userCodeBytes, userCodeOf } from "./UserCode.ts"

test.each([
  [[0, 0, 0, 0, 0], "0000-0000"],
  [[255, 255, 255, 255, 255], "ZZZZ-ZZZZ"],
  [[0, 0x44, 0x32, 0x14, 0xc7], "0123-4567"],
  [[0x42, 0x54, 0xb6, 0x35, 0xcf], "89AB-CDEF"],
  [[0x84, 0x65, 0x3a, 0x56, 0xd7], "GHJK-MNPQ"],
  [[0xc6, 0x75, 0xbe, 0x77, 0xdf], "RSTV-WXYZ"]
])("[D-23] the bytes %j are the code %s", (bytes, code) => {
  expect(userCodeOf(Uint8Array.from(bytes))).toBe(code)
})

const anyBytes = fc.uint8Array({ minLength: userCodeBytes, maxLength: userCodeBytes })

test("[D-23] every code is four and four characters, and no two runs of bytes have the same", () => {
  fc.assert(
    fc.property(anyBytes, anyBytes, (one, other) => {
      expect(userCodeOf(one)).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
      expect(userCodeOf(one) === userCodeOf(other)).toBe(Buffer.compare(one, other) === 0)
    })
  )
})

test("[D-23] a code is read however it was typed", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const code = userCodeOf(bytes)
      const bare = code.replace("-", "")
      const misread = code.replaceAll("1", "l").replaceAll("0", "o")
      for (const typed of [code, bare, code.toLowerCase(), ` ${bare} `, misread]) {
        expect(readUserCode(typed)).toBe(code)
      }
    })
  )
})

test.each(["", "0123-456", "0123-45678", "0123-456U", "0123_4567", "0123-456\u0660", "ÖÖÖÖ-ÖÖÖÖ"])(
  "[D-23] %j is no code",
  (text) => {
    expect(readUserCode(text)).toBe(null)
  }
)

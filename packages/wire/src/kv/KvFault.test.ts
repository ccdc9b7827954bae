import { describe, expect, test } from "vitest"

import { kvFault } from "./KvFault.ts"

const codeOf = (parts: Parameters<typeof kvFault>[0]) => {
  const fault = kvFault(parts)
  return fault === null ? "fits" : fault.code
}

describe("kvFault", () => {
  const names: ReadonlyArray<readonly [what: string, text: string, fits: boolean]> = [
    ["one byte", "k", true],
    ["256 bytes", "k".repeat(256), true],
    ["257 bytes", "k".repeat(257), false],
    ["256 bytes of two each", "é".repeat(128), true],
    ["258 bytes of two each", "é".repeat(129), false],
    ["256 bytes of four each", "😀".repeat(64), true],
    ["260 bytes of four each", "😀".repeat(65), false]
  ]
  test.each(names)("[kv.limit.key] [kv.limit.playerId] a name of %s", (_what, text, fits) => {
    expect(codeOf({ player: "ann", key: text })).toBe(fits ? "fits" : "E_KV_KEY_TOO_LONG")
    expect(codeOf({ player: text })).toBe(fits ? "fits" : "E_KV_PLAYER_ID_TOO_LONG")
  })

  test.each(["", "a\u0000", "\ud800", "a\udc00b"])("[C-570] %j is no key and no player", (text) => {
    expect(codeOf({ player: "ann", key: text })).toBeNull()
    expect(codeOf({ player: text, key: "k" })).toBeNull()
  })

  const { length: quotes } = '""'
  test("[kv.limit.value] 16 KiB of JSON fit, one byte more does not", () => {
    const value = (bytes: number) => `"${"x".repeat(bytes - quotes)}"`
    expect(codeOf({ player: "ann", key: "k", value: value(16_384) })).toBe("fits")
    expect(codeOf({ player: "ann", key: "k", value: value(16_385) })).toBe("E_KV_VALUE_TOO_LARGE")
    const two = `"${"é".repeat((16_384 - quotes) / 2)}"`
    expect(codeOf({ player: "ann", key: "k", value: two })).toBe("fits")
    expect(codeOf({ player: "ann", key: "k", value: `${two} ` })).toBe("E_KV_VALUE_TOO_LARGE")
  })

  test.each(["", "{", "undefined", "NaN", '"\ud800"'])("[C-570] %j is no value", (value) => {
    expect(codeOf({ player: "ann", key: "k", value })).toBeNull()
  })

  test("[C-570] a value of brackets alone is read in time", () => {
    const value = `${"[".repeat(8192)}${"]".repeat(8192)}`
    expect(codeOf({ player: "ann", key: "k", value })).toBe("fits")
  })
})

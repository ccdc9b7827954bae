import { describe, expect, it } from "vitest"

import { visibleText } from "./VisibleText.ts"

describe("visibleText", () => {
  it.each([
    ["a title", "\u001b]0;pwned\u0007", "\\u001b]0;pwned\\u0007"],
    ["a forged line", "a\r\nlevel=INFO", "a\\r\\nlevel=INFO"],
    ["a tab", "a\tb", "a\\tb"],
    ["DEL and C1", "\u007f\u0080\u009b\u009f", "\\u007f\\u0080\\u009b\\u009f"],
    ["line separators", "\u2028\u2029", "\\u2028\\u2029"],
    ["overrides", "\u202a\u202e\u2066\u2069", "\\u202a\\u202e\\u2066\\u2069"],
    ["marks of direction", "\u061c\u200e\u200f", "\\u061c\\u200e\\u200f"],
    ["what is next to them", " ~\u00a0\u2027\u202f\u2065é😀", " ~\u00a0\u2027\u202f\u2065é😀"]
  ])("[C-173] shows controls and leaves the rest: %s", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  it("[C-173] keeps the value of a JSON text", () => {
    const value = { line: "\u001b[2J\u007f\u009b\u202e\u2028\n" }
    const shown = visibleText(JSON.stringify(value))
    expect(JSON.parse(shown)).toEqual(value)
    expect(visibleText(shown)).toBe(shown)
  })
})

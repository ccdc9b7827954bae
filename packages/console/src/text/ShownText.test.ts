import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { plainText, shownLines, shownText } from "./ShownText.ts"

describe("a text of a tenant", () => {
  it.each([
    ["arena-1", "arena-1"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["a\u202egnp.exe", "a\\u202egnp.exe"],
    ["zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"],
    ["line\nend\ttab\u0000", "line\\u000aend\\u0009tab\\u0000"],
    ["tag\u{e0041}", "tag\\ue0041"],
    ["half \ud800", "half \\ud800"],
    ["🎲 مرحبا", "🎲 مرحبا"]
  ])("[C-763] %j is shown as %j", (text, shown) => {
    expect(shownText(text, 100)).toEqual({ text: shown, hidden: 0 })
  })

  it("[C-763] is cut at the bound and tells how much is hidden", () => {
    expect(shownText("abc", 3)).toEqual({ text: "abc", hidden: 0 })
    expect(shownText("abcd", 3)).toEqual({ text: "abc", hidden: 1 })
    // A pair of surrogates is one sign.
    expect(shownText("ab🎲", 3)).toEqual({ text: "ab", hidden: 2 })
  })

  it("[C-763] is one text with three dots where no element can stand", () => {
    expect(["abc", "abcd", "\u202ea"].map((text) => plainText(text, 3))).toEqual([
      "abc",
      "abc…",
      "\\u202ea"
    ])
  })

  it("[C-763] keeps line ends where lines may break", () => {
    expect(shownLines("a\n\tb\r\u2028", 10).text).toBe("a\n\tb\\u000d\\u2028")
  })

  it("[C-763] no text of any signs turns or hides what stands beside it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0x10ffff })), (signs) => {
        expect(shownText(String.fromCodePoint(...signs), 50).text).not.toMatch(
          /[\p{Bidi_Control}\p{Cc}]/u
        )
      })
    )
  })
})

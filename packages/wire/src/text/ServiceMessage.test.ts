import fc from "fast-check"
import { expect, test } from "vitest"

import { serviceMessage } from "./ServiceMessage.ts"

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Texts in which a character has several code units or code points. */
const scripts = [
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
  "👍🏽",
  "🇩🇪",
  "1️⃣",
  "‍",
  "️",
  "é",
  "́",
  "Z͑ͫ̓",
  "नि",
  "กำ",
  "각",
  "שלום",
  "مرحبا",
  "‮",
  "⁦",
  "‏",
  "\0",
  "\n",
  "\x1B[2J",
  "﻿",
  "\u2028",
  "￿",
  "􏿿",
  "\ud800",
  "\udfff",
  "Donaudampfschifffahrtsgesellschaftskapitän".repeat(2),
  "日本国憲法",
  "x".repeat(60)
]

/** Every kind of text: plain, of all planes, of lone surrogates, of ellipses, near the bound. */
const anyText = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 120 }),
  fc.string({ unit: "binary", maxLength: 120 }),
  fc
    .array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 120 })
    .map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom(...scripts), maxLength: 60 }),
  fc.string({ unit: fc.constantFrom("…", "a", "é", "😀"), minLength: 20, maxLength: 100 }),
  fc
    .tuple(fc.integer({ min: 88, max: 100 }), fc.constantFrom("", "é", "…", "€", "😀", "\ud800"))
    .map(([length, last]) => "x".repeat(length) + last)
)

test("[error.message.96-bytes] any text becomes at most 96 bytes of well-formed UTF-8", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const message = serviceMessage(text)
      expect(message.isWellFormed()).toBe(true)
      expect(bytesOf(message)).toBeLessThanOrEqual(96)
    }),
    { numRuns: 500 }
  )
})

test("[error.message.cut-on-character] a cut text is a prefix, as long as fits, and one …", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const whole = text.toWellFormed()
      const message = serviceMessage(text)
      if (bytesOf(whole) <= 96) {
        expect(message).toBe(whole)
        return
      }
      expect(message).toMatch(/[^…]…$|^…$/s)
      const kept = message.slice(0, -1)
      expect(whole.startsWith(kept)).toBe(true)
      // Ellipses at the cut are left out; the character after them did not fit.
      const gap = /^…*/.exec(whole.slice(kept.length))?.[0] ?? ""
      const next = whole.codePointAt(kept.length + gap.length) ?? 0
      expect(bytesOf(kept + gap + String.fromCodePoint(next))).toBeGreaterThan(93)
    }),
    { numRuns: 500 }
  )
})

test("[error.message.ellipsis] ends a longer text in one …, whatever the rest of it is", () => {
  // Half a pair at the end would become another character with what follows.
  const long = anyText.filter((text) => bytesOf(text) > 96 && text.isWellFormed())
  fc.assert(
    fc.property(long, anyText, (text, more) => {
      const message = serviceMessage(text)
      expect(message.endsWith("…") && !message.endsWith("……")).toBe(true)
      expect(serviceMessage(text + more)).toBe(message)
    }),
    { numRuns: 100 }
  )
})

test.each([
  ["empty", "", ""],
  ["96 bytes", "x".repeat(96), "x".repeat(96)],
  ["97 bytes", "x".repeat(97), `${"x".repeat(93)}…`],
  ["96 bytes that end in two", `${"x".repeat(94)}é`, `${"x".repeat(94)}é`],
  ["97 bytes that end in two", `${"x".repeat(95)}é`, `${"x".repeat(93)}…`],
  ["96 bytes of three each", "€".repeat(32), "€".repeat(32)],
  ["99 bytes of three each", "€".repeat(33), `${"€".repeat(31)}…`],
  ["96 bytes of emoji", "😀".repeat(24), "😀".repeat(24)],
  ["100 bytes of emoji", "😀".repeat(25), `${"😀".repeat(23)}…`],
  ["a pair across the cut", `${"x".repeat(91)}😀xx`, `${"x".repeat(91)}…`],
  ["its own ellipsis", `${"x".repeat(93)}…`, `${"x".repeat(93)}…`],
  ["an ellipsis at the cut", `${"x".repeat(90)}…yyyyy`, `${"x".repeat(90)}…`],
  ["a family across the cut", `${"x".repeat(80)}👩‍👩‍👧`, `${"x".repeat(80)}👩‍👩…`],
  ["a letter and its accent across the cut", `${"x".repeat(92)}e\u0301xx`, `${"x".repeat(92)}e…`],
  ["right to left", "ש".repeat(49), `${"ש".repeat(46)}…`],
  ["NULs", "\0".repeat(97), `${"\0".repeat(93)}…`],
  ["a lone surrogate", "a\ud83d", "a\ufffd"],
  ["lone surrogates at 96", "\udc00".repeat(32), "\ufffd".repeat(32)],
  ["lone surrogates at 99", "\udc00".repeat(33), `${"\ufffd".repeat(31)}…`]
])("[error.message.ellipsis] %s", (_what, text, message) => {
  expect(serviceMessage(text)).toBe(message)
})

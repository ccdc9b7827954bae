import fc from "fast-check"

/** Letters of one to four bytes, families joined by ZWJ, flags, marks on marks, right to left. */
export const families = [
  "a",
  "é",
  "€",
  "🎲",
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
  "🇩🇪",
  "é",
  "Z͑ͫ̓",
  "مرحبا",
  "שלום",
  "日本",
  "‍",
  "​",
  "‮",
  "﻿",
  "\0",
  "\x07",
  "\\",
  '"',
  "&",
  "<",
  "%"
]

export const unitsOf = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.constantFrom(...families), fc.string({ unit: "grapheme", maxLength: 3 })), {
      minLength: 1,
      maxLength
    })
    .map((parts) => parts.join(""))

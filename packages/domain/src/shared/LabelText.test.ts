import { Schema } from "effect"
import { expect, test } from "vitest"

import { labelText } from "./LabelText.ts"

const fits = Schema.is(labelText(100))

test.each(["a", " ", "a".repeat(100), "😀".repeat(100), "é\u0301\n"])(
  "[D-17] %j is a label",
  (text) => {
    expect(fits(text)).toBe(true)
  }
)

test.each(["", "a".repeat(101), "😀".repeat(101), "a\u0000b", "\ud800", "a\udc00", 7, null])(
  "[D-17] %j is none",
  (text) => {
    expect(fits(text)).toBe(false)
  }
)

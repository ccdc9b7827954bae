import { Schema } from "effect"
import { expect, test } from "vitest"

import { LoginLimits } from "../logins/LoginLimits.ts"
import { plainText } from "./PlainText.ts"

const isLabel = Schema.is(plainText(LoginLimits.loginLabelChars.max))

test.each(["a", "Ann's laptop", "日本", "👩‍👩‍👧 家", "x".repeat(100), "😀".repeat(100)])(
  "[D-23] %j is a label",
  (text) => {
    expect(isLabel(text)).toBe(true)
  }
)

test.each([
  "",
  "  ",
  "x".repeat(101),
  "😀".repeat(101),
  "a\nb",
  "a\u0000",
  "\u001b[2J",
  "a\u009bb",
  "a\u202eb",
  "a\u2066b",
  "a\u2028b",
  "a\ud800",
  "\udc00b"
])("[D-23] %j is no label", (text) => {
  expect(isLabel(text)).toBe(false)
})

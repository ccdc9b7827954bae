import { expect, it } from "vitest"

import { typable } from "./TypableText.ts"

it.each([
  ["pl_0123456789abcdef", "pl_0123456789abcdef"],
  ["<b>Änn</b>", "<b>Änn</b>"],
  ["a".repeat(64), "a".repeat(64)],
  ["a".repeat(65), "delete"],
  ["ann ", "delete"],
  ["ann\u202e", "delete"],
  ["a\nb", "delete"]
])("[C-807] of %j a reader types %j", (id, typed) => {
  expect(typable(id)).toBe(typed)
})

import { expect, test } from "vitest"

import { devHeldText } from "./DevHeldText.ts"

const says = "atrium dev of another folder has the project: "

test.each([
  ["/games/arena", "/games/arena"],
  // 96 bytes in all, and one more.
  [`/${"a".repeat(49)}`, `/${"a".repeat(49)}`],
  [`/${"a".repeat(50)}`, `…${"a".repeat(47)}`],
  [`/${"é".repeat(60)}/arena`, `…${"é".repeat(20)}/arena`],
  [`/${"🎲".repeat(60)}/arena`, `…${"🎲".repeat(10)}/arena`]
])("[C-227] %s is named by its end, within 96 bytes", (folder, shown) => {
  expect(devHeldText(folder)).toBe(says + shown)
  expect(Buffer.byteLength(says + shown)).toBeLessThanOrEqual(96)
})

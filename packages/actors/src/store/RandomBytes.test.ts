import { expect, test } from "vitest"

import { randomText } from "./RandomBytes.ts"

test("[D-16] texts of chance have their length, and no two are the same", () => {
  const texts = Array.from({ length: 2000 }, () => randomText(16, "hex"))
  for (const text of texts) expect(text).toMatch(/^[0-9a-f]{32}$/)
  const others = Array.from({ length: 2000 }, () => randomText(16, "base64url"))
  for (const text of others) expect(text).toMatch(/^[A-Za-z0-9_-]{22}$/)
  expect(new Set([...texts, ...others]).size).toBe(4000)
  expect([randomText(1, "hex"), randomText(32, "hex")].map(({ length }) => length)).toEqual([2, 64])
})

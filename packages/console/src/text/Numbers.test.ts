import { describe, expect, it } from "vitest"

import { bytesText, countText } from "./Numbers.ts"

describe("numbers", () => {
  it.each([
    [0, "0 B"],
    [1023, "1,023 B"],
    [1024, "1 KiB"],
    [1500, "1.46 KiB"],
    [15_000_000, "14.3 MiB"],
    [2 ** 50, "1,024 TiB"]
  ])("[C-762] %d bytes are %s", (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })

  it("[C-762] counts have their thousands apart", () => {
    expect([0, 999, 12_480, 1_000_000].map(countText)).toEqual(["0", "999", "12,480", "1,000,000"])
  })
})

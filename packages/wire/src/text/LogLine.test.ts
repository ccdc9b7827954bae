import { describe, expect, it } from "vitest"

import { cutLogLine } from "./LogLine.ts"

describe("cutLogLine", () => {
  it("[limits.log.line] keeps 8,192 units whole and cuts what is past them", () => {
    expect(cutLogLine("a".repeat(8192))).toBe("a".repeat(8192))
    expect(cutLogLine(`${"a".repeat(8192)}b`)).toBe("a".repeat(8192))
  })

  it("[T-47] never splits a character", () => {
    expect(cutLogLine(`${"a".repeat(8191)}😀`)).toBe("a".repeat(8191))
    expect(cutLogLine(`${"a".repeat(8190)}😀b`)).toBe(`${"a".repeat(8190)}😀`)
  })
})

import { describe, expect, it } from "vitest"

import { LogIngest } from "./LogIngest.ts"

const KiB256 = 256 * 1024

describe("LogIngest", () => {
  it("[limits.log.ingest] takes 256 KiB in a minute and not a byte more", () => {
    const ingest = new LogIngest()
    expect(ingest.take(KiB256 - 1, 0)).toBe(true)
    expect(ingest.take(2, 0)).toBe(false)
    expect(ingest.take(1, 59_999)).toBe(true)
    expect(ingest.take(1, 59_999)).toBe(false)
  })

  it("[limits.log.ingest] begins anew a minute after the first line", () => {
    const ingest = new LogIngest()
    expect(ingest.take(KiB256, 1_000)).toBe(true)
    expect(ingest.take(1, 60_999)).toBe(false)
    expect(ingest.take(KiB256, 61_000)).toBe(true)
  })
})

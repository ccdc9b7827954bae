import fc from "fast-check"
import { expect, test } from "vitest"

import { DurationPattern, durationMs, durationText } from "./Duration.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

test.each([
  ["duration.min", "1m", minute],
  ["duration.grammar", "10m", 10 * minute],
  ["duration.grammar", "2h", 2 * hour],
  ["duration.grammar", "7d", 7 * day],
  ["duration.max.days", "3650d", 3650 * day],
  ["duration.max.hours", "87600h", 3650 * day],
  ["duration.max.minutes", "5256000m", 3650 * day]
])("[%s] %s is a duration", (_id, text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each([
  ["duration.min", "0m"],
  ["duration.max.days", "3651d"],
  ["duration.max.hours", "87601h"],
  ["duration.max.minutes", "5256001m"],
  ["duration.max.minutes", "9999999m"],
  ["duration.max.minutes", "10000000m"],
  ["duration.max.minutes", `${"9".repeat(400)}m`],
  ["duration.no-fractions", "1.5h"],
  ["duration.no-fractions", "0.5h"],
  ["duration.no-fractions", "1.0d"],
  ["duration.no-compounds", "1h30m"],
  ["duration.no-compounds", "1d12h"],
  ["duration.no-spaces", "1 h"],
  ["duration.no-spaces", " 1h"],
  ["duration.no-spaces", "1h "],
  ["duration.no-spaces", "1h\n"],
  ["duration.grammar", ""],
  ["duration.grammar", "10"],
  ["duration.grammar", "m"],
  ["duration.grammar", "10s"],
  ["duration.grammar", "10M"],
  ["duration.grammar", "10H"],
  ["duration.grammar", "+1h"],
  ["duration.grammar", "-1h"],
  ["duration.grammar", "01h"],
  ["duration.grammar", "1e3m"],
  ["duration.grammar", "0x1h"],
  ["duration.grammar", "١h"],
  ["duration.grammar", "1h1"],
  ["duration.grammar", "forever"]
])("[%s] %j is no duration", (_id, text) => {
  expect(durationMs(text)).toBeNull()
})

test("[duration.grammar] exactly the texts of the grammar up to 3650 days are durations", () => {
  const text = fc.oneof(
    fc.tuple(fc.nat(10_000_000), fc.constantFrom("m", "h", "d", "s", "M")).map((it) => it.join("")),
    fc.string({ unit: fc.constantFrom(..."0123456789mhd .-+"), maxLength: 9 })
  )
  fc.assert(
    fc.property(text, (candidate) => {
      const ms = durationMs(candidate)
      if (ms === null) return
      expect(candidate).toMatch(DurationPattern)
      expect(ms).toBeGreaterThanOrEqual(minute)
      expect(ms).toBeLessThanOrEqual(3650 * day)
    })
  )
})

test.each(["1m", "90m", "1h", "36h", "1d", "7d", "3650d"])(
  "[duration.grammar] the span of %s is written as that",
  (text) => {
    expect(durationText(durationMs(text) ?? 0)).toBe(text)
  }
)

import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { type RateLimit } from "./Limit.ts"
import { makeBucket, takeToken, untilTokenMs } from "./TokenBucket.ts"

const startMs = 1_790_000_000_000

const limitOf = (burst: number, tokens: number, everyMs: number): RateLimit => ({
  kind: "rate",
  says: "under test",
  per: "test",
  past: "refused",
  burst,
  tokens,
  everyMs
})

/** Takes as many as there are, at most `most`. */
const takeAll = (
  bucket: ReturnType<typeof makeBucket>,
  limit: RateLimit,
  nowMs: number
): number => {
  let taken = 0
  while (taken <= limit.burst && takeToken(bucket, limit, nowMs)) taken++
  return taken
}

const anyLimit = fc
  .record({
    burst: fc.integer({ min: 1, max: 500 }),
    tokens: fc.integer({ min: 1, max: 500 }),
    everyMs: fc.constantFrom(1, 7, 1000, 1001, 60_000)
  })
  .map(({ burst, tokens, everyMs }) => limitOf(burst, tokens, everyMs))

/** Waits between calls: many short ones, some long enough to fill any bucket. */
const anyWaits = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, 0, 0, 1, 2, 4, 5, 25) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 2000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 600_000 }) }
  ),
  { minLength: 1, maxLength: 400 }
)

describe("laws", () => {
  test("[D-26] answers as an exact bucket in whole numbers does, call by call", () => {
    fc.assert(
      fc.property(anyLimit, anyWaits, (limit, waits) => {
        const bucket = makeBucket(limit, startMs)
        const full = BigInt(limit.burst) * BigInt(limit.everyMs)
        let level = full
        let nowMs = startMs
        for (const waitMs of waits) {
          nowMs += waitMs
          level += BigInt(waitMs) * BigInt(limit.tokens)
          if (level > full) level = full
          const there = level >= BigInt(limit.everyMs)
          if (there) level -= BigInt(limit.everyMs)
          expect(takeToken(bucket, limit, nowMs)).toBe(there)
          expect(Number.isInteger(bucket.tokens)).toBe(true)
        }
      })
    )
  })

  test("[D-35] a clock that is set back gives nothing and takes nothing away for good", () => {
    fc.assert(
      fc.property(anyLimit, fc.nat(10_000_000), (limit, backMs) => {
        const bucket = makeBucket(limit, startMs)
        takeAll(bucket, limit, startMs)
        expect(takeToken(bucket, limit, startMs - backMs)).toBe(false)
        const tokenMs = Math.ceil(limit.everyMs / limit.tokens)
        expect(takeToken(bucket, limit, startMs - backMs + tokenMs)).toBe(true)
      })
    )
  })
})

describe("bounds", () => {
  test("[D-35] a burst of 480 passes at once and the next token does not", () => {
    const frames = limitOf(480, 240, 1000)
    const bucket = makeBucket(frames, startMs)
    for (let frame = 1; frame <= 480; frame++) {
      expect(takeToken(bucket, frames, startMs)).toBe(true)
    }
    expect(takeToken(bucket, frames, startMs)).toBe(false)
  })
})

test("[D-26] an empty bucket says to the millisecond when it has a token again", () => {
  fc.assert(
    fc.property(anyLimit, anyWaits, (limit, waits) => {
      const bucket = makeBucket(limit, startMs)
      let nowMs = startMs
      for (const waitMs of waits) {
        nowMs += waitMs
        if (takeToken(bucket, limit, nowMs)) continue
        const untilMs = untilTokenMs(bucket, limit)
        expect(untilMs).toBeGreaterThan(0)
        expect(takeToken({ ...bucket }, limit, nowMs + untilMs - 1)).toBe(false)
        expect(takeToken({ ...bucket }, limit, nowMs + untilMs)).toBe(true)
      }
      expect(untilTokenMs(makeBucket(limit, nowMs), limit)).toBe(0)
    })
  )
})

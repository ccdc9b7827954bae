import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { type CountLimit, type RateLimit } from "@atrium/wire/limits/Limit"
import { makeBucket, takeToken } from "@atrium/wire/limits/TokenBucket"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { HttpLimits } from "../http/HttpLimits.ts"
import { RateLedger } from "./RateLedger.ts"

const startMs = 1_790_000_000_000
const limitOf = (burst: number, tokens = burst, everyMs = 60_000): RateLimit => ({
  kind: "rate",
  says: "under test",
  per: "subject",
  past: "refused",
  burst,
  tokens,
  everyMs
})
const atMost = (max: number): CountLimit => ({
  kind: "count",
  says: "subjects",
  per: "ledger",
  past: "forgotten",
  max
})

/** How many pass now. */
const takeAll = (ledger: RateLedger, subject: string, limit?: RateLimit): number => {
  let taken = 0
  while (taken <= 100_000 && ledger.take(subject, startMs, limit) === 0) taken++
  return taken
}

/** The heap without its garbage: other tests of the worker leave theirs as well. */
const heldBytes = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed
}

describe("each subject by itself", () => {
  test("[D-26] passes exactly as its own bucket lets it, whatever other subjects ask", () => {
    const asking = fc.record({
      subject: fc.constantFrom("a", "b", "c"),
      waitMs: fc.constantFrom(0, 0, 0, 1, 499, 500, 30_000)
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(asking, { maxLength: 200 }),
        (burst, askings) => {
          const limit = limitOf(burst)
          const ledger = new RateLedger(limit)
          const buckets = new Map<string, ReturnType<typeof makeBucket>>()
          let nowMs = startMs
          for (const { subject, waitMs } of askings) {
            nowMs += waitMs
            const bucket = buckets.get(subject) ?? makeBucket(limit, nowMs)
            buckets.set(subject, bucket)
            const passes = takeToken(bucket, limit, nowMs)
            expect(ledger.look(subject, nowMs) === 0).toBe(passes)
            expect(ledger.take(subject, nowMs) === 0).toBe(passes)
          }
        }
      )
    )
  })

  test("[limits.connections.refill] 120 a minute are 2 a second, to the millisecond", () => {
    const ledger = new RateLedger(limitOf(120))
    expect(takeAll(ledger, "a")).toBe(120)
    expect(ledger.take("a", startMs)).toBe(500)
    expect(ledger.take("a", startMs + 499)).toBe(1)
    expect(ledger.take("a", startMs + 500)).toBe(0)
    expect(ledger.take("a", startMs + 500)).toBe(500)
    expect(ledger.take("b", startMs + 500)).toBe(0)
  })

  test("[D-26] a token of something that did not happen goes back, and no more than was taken", () => {
    const ledger = new RateLedger(limitOf(2))
    ledger.giveBack("a")
    ledger.take("a", startMs)
    ledger.giveBack("a")
    ledger.giveBack("a")
    expect(takeAll(ledger, "a")).toBe(2)
    ledger.giveBack("a")
    expect(takeAll(ledger, "a")).toBe(1)
  })

  test("[D-26] a full bucket keeps no part of a token", () => {
    const ledger = new RateLedger(limitOf(2))
    ledger.take("a", startMs)
    ledger.take("a", startMs)
    // Two tokens in 60 s: after 15 s half of one has come back.
    expect(ledger.look("a", startMs + 15_000)).toBe(15_000)
    ledger.giveBack("a")
    ledger.giveBack("a")
    ledger.take("a", startMs + 15_000)
    ledger.take("a", startMs + 15_000)
    expect(ledger.take("a", startMs + 15_000)).toBe(30_000)
  })
})

describe("a limit that changes", () => {
  test.each([
    [120, 10, 50, 0],
    [120, 10, 4, 6],
    [120, 1000, 120, 880],
    [120, 1000, 0, 1000],
    [10, 120, 10, 110]
  ])("[limits.connections.settable] from %i to %i, %i being spent: %i are left", (...numbers) => {
    const [before, after, spent, left] = numbers
    const ledger = new RateLedger(limitOf(before))
    for (let n = 0; n < spent; n++) ledger.take("a", startMs)
    expect(takeAll(ledger, "a", limitOf(after))).toBe(left)
  })
})

describe("more subjects than are remembered", () => {
  test("[C-131] the half of them that asked last is remembered, never more than all", () => {
    const subject = fc.integer({ min: 0, max: 12 }).map(String)
    fc.assert(
      fc.property(fc.array(subject, { maxLength: 200 }), (askings) => {
        const ledger = new RateLedger(limitOf(1000), atMost(6))
        for (const asking of askings) {
          ledger.take(asking, startMs)
          expect(ledger.size).toBeLessThanOrEqual(6)
        }
        // Under a limit of 1 each subject that is remembered has spent it.
        for (const known of [...new Set(askings.toReversed())].slice(0, 3)) {
          expect(ledger.look(known, startMs, limitOf(1))).toBeGreaterThan(0)
        }
      })
    )
  })

  test("[C-131] a crowd of addresses that ask once do not free the one that floods, nor take memory", () => {
    const ledger = new RateLedger(limitOf(120))
    const crowdSize = 250_000
    let [passed, crowd] = [0, 0]
    const flood = (): void => {
      if (ledger.take("203.0.113.9", startMs) === 0) passed++
    }
    for (let n = 0; n < 200; n++) flood()
    const before = heldBytes()
    for (let n = 0; n < crowdSize; n++) {
      if (ledger.take(`2001:db8:${n >> 16}:${n & 65_535}::/64`, startMs) === 0) crowd++
      // It comes back seldom enough to be the oldest by far each time.
      if (n % 12_500 === 0) flood()
    }
    expect(passed).toBe(120)
    expect(crowd).toBe(crowdSize)
    // So many accounts take 50 MB. The ledger is looked at afterwards: it must be there to count.
    expect(heldBytes() - before).toBeLessThan(32 * 1024 * 1024)
    expect(ledger.size).toBeLessThanOrEqual(HttpLimits.rateSubjects.max + 1)
  })

  test("[C-131] a refused subject gives way only to refused ones", () => {
    const ledger = new RateLedger(limitOf(1), atMost(4))
    const refuse = (subject: string): void => {
      for (let n = 0; n < 2; n++) ledger.take(subject, startMs)
    }
    refuse("a")
    for (let n = 0; n < 100; n++) ledger.take(`passing ${n}`, startMs)
    expect(ledger.take("a", startMs)).toBeGreaterThan(0)
    for (let n = 0; n < 100; n++) refuse(`refused ${n}`)
    expect(ledger.take("a", startMs)).toBe(0)
    expect(ledger.size).toBeLessThanOrEqual(8)
  })
})

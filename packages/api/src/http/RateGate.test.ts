import { RateLedger } from "@atrium/domain/shared/RateLedger"
import { type CountLimit, type RateLimit } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { RateGate } from "./RateGate.ts"

const limit: RateLimit = {
  kind: "rate",
  says: "under test",
  per: "subject",
  past: "refused",
  burst: 2,
  tokens: 1,
  everyMs: 1000
}
const three: CountLimit = {
  kind: "count",
  says: "subjects",
  max: 3,
  per: "gate",
  past: "forgotten"
}

const passes = (gate: RateGate, subject: string) =>
  Effect.match(gate.pass(subject), {
    onSuccess: () => 0,
    onFailure: ({ retryAfterMs }) => retryAfterMs
  })

it.effect(
  "[D-26] each subject passes as often as the limit says, and learns when it may again",
  () =>
    Effect.gen(function* () {
      const gate = new RateGate(new RateLedger(limit))
      expect(yield* passes(gate, "a")).toBe(0)
      expect(yield* passes(gate, "a")).toBe(0)
      expect(yield* passes(gate, "a")).toBe(1000)
      expect(yield* passes(gate, "b")).toBe(0)
      yield* TestClock.adjust(999)
      expect(yield* passes(gate, "a")).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* passes(gate, "a")).toBe(0)
      expect(yield* passes(gate, "a")).toBe(1000)
    })
)

it.effect(
  "[C-131] forgets the subjects that asked longest ago when there are more than it may remember",
  () =>
    Effect.gen(function* () {
      const gate = new RateGate(new RateLedger(limit, three))
      for (const subject of ["a", "a", "b", "b", "c", "c", "c"]) yield* passes(gate, subject)
      for (const subject of ["d", "e", "f", "g"]) yield* passes(gate, subject)
      expect(yield* passes(gate, "c")).toBe(1000)
      expect(yield* passes(gate, "a")).toBe(0)
    })
)

it.effect("[D-26] asking whether a request would pass spends nothing and remembers nobody", () =>
  Effect.gen(function* () {
    const gate = new RateGate(new RateLedger(limit, three))
    const checks = (subject: string) =>
      Effect.match(gate.check(subject), {
        onSuccess: () => 0,
        onFailure: ({ retryAfterMs }) => retryAfterMs
      })
    for (let asked = 0; asked < 5; asked++) expect(yield* checks("a")).toBe(0)
    yield* passes(gate, "a")
    expect(yield* checks("a")).toBe(0)
    yield* passes(gate, "a")
    expect(yield* checks("a")).toBe(1000)
    for (const other of ["b", "c", "d"]) expect(yield* checks(other)).toBe(0)
    expect(yield* checks("a")).toBe(1000)
    yield* TestClock.adjust(1000)
    expect(yield* checks("a")).toBe(0)
    expect(yield* passes(gate, "a")).toBe(0)
    expect(yield* passes(gate, "a")).toBe(1000)
  })
)

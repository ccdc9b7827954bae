import type { RateLimit } from "@atrium/wire/limits/Limit"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { RateLimits } from "./RateLimits.ts"
import { heldMax, RateOwner } from "./RateOwner.ts"
import { RateWallet } from "./RateWallet.ts"

const rateOf = (burst: number, tokens = burst, everyMs = 60_000): RateLimit => ({
  kind: "rate",
  says: `a burst of ${burst}`,
  per: "subject",
  past: "refused",
  burst,
  tokens,
  everyMs
})

/** A request that comes to a runner. */
interface Demand {
  readonly atMs: number
  readonly runner: number
}

/** The longest way of a question or an answer. */
const wayMs = 20

/** Some runners and the owner of a bucket, in virtual time. */
class Fleet {
  nowMs = 0
  /** When requests were let through. */
  readonly passed: Array<{ readonly atMs: number; readonly runner: number }> = []
  refused = 0
  /** The most that was held ahead at one time: also what was on its way. */
  heldMost = 0
  #held = 0
  readonly #limit: RateLimit
  readonly #owner = new RateOwner()
  readonly #runners: ReadonlyArray<{ wallet: RateWallet; waiting: number; asks: boolean }>
  #events: Array<{ readonly atMs: number; readonly act: () => void }> = []

  constructor(limit: RateLimit, runners: number) {
    this.#limit = limit
    this.#runners = Array.from({ length: runners }, () => ({
      wallet: new RateWallet(),
      waiting: 0,
      asks: false
    }))
  }

  play(demands: ReadonlyArray<Demand>): void {
    for (const { atMs, runner } of demands) this.#at(atMs, () => this.#request(runner))
    const endMs = Math.max(0, ...demands.map(({ atMs }) => atMs)) + 3 * RateLimits.heldFor.ms
    for (let atMs = 0; atMs < endMs; atMs += RateLimits.heldFor.ms)
      this.#at(atMs, () => this.#sweep())
    while (this.#events.length > 0) {
      const next = this.#events.reduce((one, other) => (other.atMs < one.atMs ? other : one))
      this.#events.splice(this.#events.indexOf(next), 1)
      this.nowMs = next.atMs
      next.act()
    }
  }

  passedBy(runner: number): number {
    return this.passed.filter((each) => each.runner === runner).length
  }

  #at(atMs: number, act: () => void): void {
    this.#events.push({ atMs, act })
  }

  #request(runner: number): void {
    const book = this.#runners[runner]
    if (book === undefined) throw new Error(`no runner ${runner}`)
    const told = book.asks ? null : book.wallet.take(this.nowMs)
    if (told === 0) {
      this.#held--
      this.passed.push({ atMs: this.nowMs, runner })
    } else if (told !== null) this.refused++
    else {
      book.waiting++
      if (!book.asks) this.#ask(runner)
    }
  }

  #sweep(): void {
    for (const [runner, { wallet, asks }] of this.#runners.entries()) {
      if (!asks && wallet.hasLapsed(this.nowMs)) this.#ask(runner)
    }
  }

  #ask(runner: number): void {
    const book = this.#runners[runner]
    if (book === undefined) throw new Error(`no runner ${runner}`)
    book.asks = true
    const needed = book.waiting
    const terms = book.wallet.ask(this.#limit, needed, this.nowMs)
    const rate = this.#limit
    const way = wayMs / 2
    this.#at(this.nowMs + way, () => {
      this.#held -= terms.back
      const ask = { rate, subject: "one", runner: String(runner), ...terms }
      const answer = this.#owner.answer(ask, this.nowMs)
      this.#held += Math.max(0, answer.granted - needed)
      this.heldMost = Math.max(this.heldMost, this.#held)
      this.#at(this.nowMs + way, () => {
        const served = book.wallet.answered(answer, needed, this.nowMs)
        for (let at = 0; at < served; at++) this.passed.push({ atMs: this.nowMs, runner })
        this.refused += needed - served
        book.waiting -= needed
        book.asks = false
        if (book.waiting > 0) this.#ask(runner)
      })
    })
  }
}

/** The most that any span had over what its rate allows. */
const mostOver = (limit: RateLimit, times: ReadonlyArray<number>): number => {
  let over = -Infinity
  for (const [from, fromMs] of times.entries()) {
    for (let to = from; to < times.length; to++) {
      const spanMs = (times[to] ?? 0) - fromMs + wayMs
      over = Math.max(over, to - from + 1 - limit.burst - (limit.tokens * spanMs) / limit.everyMs)
    }
  }
  return over
}

const demands = (runners: number) =>
  fc.array(
    fc.record({
      atMs: fc.nat(20_000),
      runner: fc.nat(runners - 1),
      times: fc.integer({ min: 1, max: 30 })
    }),
    { minLength: 1, maxLength: 30 }
  )
const spread = (
  bursts: ReadonlyArray<Demand & { readonly times: number }>
): ReadonlyArray<Demand> =>
  bursts.flatMap(({ atMs, runner, times }) =>
    Array.from({ length: times }, (_, at) => ({ atMs: atMs + at, runner }))
  )

describe("the tokens of a bucket over several runners", () => {
  test.each([
    { burst: 49, ahead: 0 },
    { burst: 50, ahead: 5 },
    { burst: 60, ahead: 6 },
    { burst: 6000, ahead: 600 }
  ])("[C-379] at most $ahead of a burst of $burst are held ahead", ({ burst, ahead }) => {
    expect(heldMax(rateOf(burst))).toBe(ahead)
  })

  test("[C-379] whatever the demand, no span has more than its rate and a tenth of the burst", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(10, 49, 50, 120, 300),
        fc.integer({ min: 1, max: 5 }),
        demands(5),
        (burst, runners, bursts) => {
          const limit = rateOf(burst)
          const fleet = new Fleet(limit, runners)
          fleet.play(spread(bursts.map((each) => ({ ...each, runner: each.runner % runners }))))
          expect(fleet.heldMost).toBeLessThanOrEqual(heldMax(limit))
          const times = fleet.passed.map(({ atMs }) => atMs)
          expect(mostOver(limit, times)).toBeLessThanOrEqual(heldMax(limit) + 1)
          // A span from the start on has not even that: each token was given once.
          const [last = 0] = times.slice(-1)
          const all = limit.burst + (limit.tokens * last) / limit.everyMs
          expect(times.length).toBeLessThanOrEqual(all)
        }
      ),
      { numRuns: 60 }
    )
  })

  test.each([20, 60, 300])(
    "[C-379] a runner with all the demand has all of a burst of %i",
    (burst) => {
      const fleet = new Fleet(rateOf(burst), 3)
      fleet.play(Array.from({ length: 2 * burst }, (_, at) => ({ atMs: at, runner: 1 })))
      expect(fleet.passedBy(1)).toBeGreaterThanOrEqual(burst)
      expect(fleet.refused).toBeGreaterThan(0)
    }
  )

  test("[C-379] runners with the same demand have about the same, one with more has more", () => {
    const limit = rateOf(300, 3000)
    // 200 requests a second in all, no two of them in step, and 50 tokens a second come back.
    const places = [0, 1, 2, 2]
    const asked = Array.from({ length: 4_000 }, (_, at) => ({
      atMs: at * 5,
      runner: places[Math.floor(((at * 7919) % 4001) / 1001)] ?? 0
    }))
    const fleet = new Fleet(limit, 3)
    fleet.play(asked)
    const [one, two, busy] = [0, 1, 2].map((runner) => fleet.passedBy(runner))
    const all = fleet.passed.length
    expect(all).toBeGreaterThan(0.9 * (300 + 50 * 20))
    for (const share of [one, two]) expect(share).toBeGreaterThan(0.15 * all)
    expect(busy).toBeGreaterThan(Math.max(one ?? 0, two ?? 0))
  })

  test("[C-379] what nobody took goes back, and the other runners have it", () => {
    const limit = rateOf(100, 1, 3_600_000)
    const fleet = new Fleet(limit, 2)
    const at = (runner: number, fromMs: number, times: number): ReadonlyArray<Demand> =>
      Array.from({ length: times }, (_, index) => ({ atMs: fromMs + 50 * index, runner }))
    fleet.play([...at(0, 0, 15), ...at(1, 5_000, 120)])
    expect([fleet.passedBy(0), fleet.passedBy(1)]).toEqual([15, 85])
  })
})

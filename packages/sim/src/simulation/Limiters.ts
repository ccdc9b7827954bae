import { Limits, type RateLimit } from "@atrium/domain/Limits"
import { RateLedger } from "@atrium/domain/RateLedger"

import { Chance } from "../fuzz/Chance.ts"
import { Violation } from "./Violation.ts"

/** A limiter of many subjects, as the service has them. */
export interface Limiter {
  take(subject: string, nowMs: number): number
  look(subject: string, nowMs: number): number
  giveBack(subject: string): void
}

export type MakeLimiter = (limit: RateLimit) => Limiter

export const makeLimiter: MakeLimiter = (limit) => new RateLedger(limit)

const rates = Object.values<(typeof Limits)[keyof typeof Limits]>(Limits).filter(
  (row): row is Extract<typeof row, { readonly kind: "rate" }> => row.kind === "rate"
)

const beginningMs = 1_800_000_000_000
const subjects = ["a", "b", "c"]
const burstMost = 2000

/** One subject's level in rationals: whole numbers of 1/everyMs of a token, so that nothing is rounded. */
class Exact {
  readonly #limit: RateLimit
  readonly #full: bigint
  #level: bigint
  #countedAtMs: number

  constructor(limit: RateLimit, nowMs: number) {
    this.#limit = limit
    this.#full = BigInt(limit.burst) * BigInt(limit.everyMs)
    this.#level = this.#full
    this.#countedAtMs = nowMs
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#countedAtMs)
    this.#countedAtMs = nowMs
    this.#level += BigInt(elapsedMs) * BigInt(this.#limit.tokens)
    if (this.#level > this.#full) this.#level = this.#full
  }

  /** 0 = there is a token; else the milliseconds until there is one. */
  look(nowMs: number): number {
    this.#refill(nowMs)
    const lacks = BigInt(this.#limit.everyMs) - this.#level
    if (lacks <= 0n) return 0
    const tokens = BigInt(this.#limit.tokens)
    return Number((lacks + tokens - 1n) / tokens)
  }

  take(nowMs: number): number {
    const waitMs = this.look(nowMs)
    if (waitMs === 0) this.#level -= BigInt(this.#limit.everyMs)
    return waitMs
  }

  giveBack(): void {
    this.#level += BigInt(this.#limit.everyMs)
    if (this.#level > this.#full) this.#level = this.#full
  }
}

/** Every limiter agrees with the rationals, call by call, whatever the clock does. */
export const checkLimiters = (seed: number, make: MakeLimiter, calls: number): void => {
  const chance = Chance.of(seed, "limiters", 0)
  const limit = chance.pick(rates)
  const limiter = make(limit)
  const exact = new Map<string, Exact>()
  let nowMs = beginningMs
  for (let call = 0; call < calls; call++) {
    nowMs += waitOf(limit, chance)
    const subject = chance.pick(subjects)
    const reference = exact.get(subject) ?? new Exact(limit, nowMs)
    exact.set(subject, reference)
    const told = `${limit.says}, call ${call} of ${subject}`
    const burst = chance.one(6) ? Math.min(burstMost, 1 + limit.burst - chance.below(3)) : 1
    for (let at = 0; at < burst; at++) {
      agreed(told, limiter.take(subject, nowMs), reference.take(nowMs))
    }
    for (let back = chance.below(8) - 4; back > 0; back--) {
      limiter.giveBack(subject)
      reference.giveBack()
    }
    agreed(told, limiter.look(subject, nowMs), reference.look(nowMs))
  }
}

const agreed = (what: string, waitMs: number, exactMs: number): void => {
  if (waitMs === exactMs) return
  throw new Violation("limiter", `${what}: it says ${waitMs} ms, and it is ${exactMs} ms`)
}

/** Mostly about as long as a token takes, now and then long enough for all, seldom back. */
const waitOf = (limit: RateLimit, chance: Chance): number => {
  const tokenMs = Math.max(1, Math.ceil(limit.everyMs / limit.tokens))
  if (chance.one(20)) return -chance.below(4 * tokenMs)
  if (chance.one(15)) return chance.below(2 * limit.everyMs)
  return chance.below(2 * tokenMs)
}

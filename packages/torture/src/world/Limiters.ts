import { Chance } from "@atrium/api/testing/Chance"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import { AllLimits } from "@atrium/domain/testing/AllLimits"
import { type RateLimit } from "@atrium/wire/limits/Limit"

import { ExactRate } from "./ExactRate.ts"
import { Violation } from "./Violation.ts"

/** A limiter of many subjects, as the service has them. */
export interface Limiter {
  take(subject: string, nowMs: number): number
  look(subject: string, nowMs: number): number
  giveBack(subject: string): void
}

export type MakeLimiter = (limit: RateLimit) => Limiter

export const makeLimiter: MakeLimiter = (limit) => new RateLedger(limit)

const rates = Object.values<(typeof AllLimits)[keyof typeof AllLimits]>(AllLimits).filter(
  (row): row is Extract<typeof row, { readonly kind: "rate" }> => row.kind === "rate"
)

const beginningMs = 1_800_000_000_000
const subjects = ["a", "b", "c"]
const burstMost = 2000

/** Every limiter agrees with the rationals, call by call, whatever the clock does. */
export const checkLimiters = (seed: number, make: MakeLimiter, calls: number): void => {
  const chance = Chance.of(seed, "limiters", 0)
  const limit = chance.pick(rates)
  const limiter = make(limit)
  const exact = new Map<string, ExactRate>()
  let nowMs = beginningMs
  for (let call = 0; call < calls; call++) {
    nowMs += waitOf(limit, chance)
    const subject = chance.pick(subjects)
    const reference = exact.get(subject) ?? new ExactRate(limit, nowMs)
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

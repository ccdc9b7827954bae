import { type CountLimit, Limits, type RateLimit } from "@atrium/domain/Limits"
import { RateLedger } from "@atrium/domain/RateLedger"
import { RateLimited } from "@atrium/domain/Refusal"
import { Clock, Effect } from "effect"

/** Lets each subject, such as an address or an account, through as often as a limit allows. */
export class RateGate {
  readonly #ledger: RateLedger

  constructor(limit: RateLimit, subjects: CountLimit = Limits.rateSubjects) {
    this.#ledger = new RateLedger(limit, subjects)
  }

  pass(subject: string): Effect.Effect<void, RateLimited> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      unlessLimited(this.#ledger.take(subject, nowMs))
    )
  }

  /** Refuses whom {@link pass} would refuse, and takes nothing. Nobody is remembered for it. */
  check(subject: string): Effect.Effect<void, RateLimited> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      unlessLimited(this.#ledger.look(subject, nowMs))
    )
  }
}

const unlessLimited = (retryAfterMs: number): Effect.Effect<void, RateLimited> =>
  retryAfterMs === 0 ? Effect.void : Effect.fail(new RateLimited({ retryAfterMs }))

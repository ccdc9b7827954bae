import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import { RateLimited } from "@atrium/domain/shared/Refusal"
import { type CountLimit, type RateLimit } from "@atrium/wire/limits/Limit"
import { Clock, Effect } from "effect"

/** Lets each subject, such as an address or an account, through as often as a limit allows. */
export class RateGate {
  readonly #ledger: RateLedger

  constructor(limit: RateLimit, subjects: CountLimit = HttpLimits.rateSubjects) {
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

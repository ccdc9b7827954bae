import { type CountLimit, Limits, type RateLimit } from "@atrium/domain/Limits"
import { RateLimited } from "@atrium/domain/Refusal"
import { makeBucket, takeToken, type TokenBucket, untilTokenMs } from "@atrium/domain/TokenBucket"
import { Clock, Effect } from "effect"

/** Lets each subject, such as an address or an account, through as often as a limit allows. */
export class RateGate {
  readonly #limit: RateLimit
  readonly #subjects: CountLimit
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: RateLimit, subjects: CountLimit = Limits.rateSubjects) {
    this.#limit = limit
    this.#subjects = subjects
  }

  pass(subject: string): Effect.Effect<void, RateLimited> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const bucket = this.#buckets.get(subject) ?? makeBucket(this.#limit, nowMs)
      // Last in the order of the map are those that asked last.
      this.#buckets.delete(subject)
      this.#buckets.set(subject, bucket)
      if (this.#buckets.size > this.#subjects.max) this.#forgetOldest()
      return takeToken(bucket, this.#limit, nowMs)
        ? Effect.void
        : Effect.fail(new RateLimited({ retryAfterMs: untilTokenMs(bucket, this.#limit) }))
    })
  }

  #forgetOldest(): void {
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest)
      return
    }
  }
}

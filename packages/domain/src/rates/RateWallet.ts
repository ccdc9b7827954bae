import type { RateLimit } from "@atrium/wire/limits/Limit"

import { RateLimits } from "./RateLimits.ts"
import { heldMax, type RateAnswer, type RateAsk } from "./RateOwner.ts"

/** The answer to a request: 0 = it has a token, else the time until there is one again; `null` = the owner knows. */
type Told = number | null

/**
 * What one runner knows of one bucket: tokens that it holds ahead of requests, and until when there are none. It asks
 * for as many ahead as it spent within the last second. Times are this runner's own.
 */
export class RateWallet {
  #tokens = 0
  #heldSinceMs = 0
  #emptyUntilMs = -Infinity
  #askedAtMs = 0
  #spent = 0
  #spentSinceMs = -Infinity

  take(nowMs: number): Told {
    if (nowMs < this.#emptyUntilMs) return this.#emptyUntilMs - nowMs
    if (this.#lapsed(nowMs) || this.#tokens === 0) return null
    this.#tokens--
    this.#spends(1, nowMs)
    return 0
  }

  /** The answer that {@link take} would give. */
  look(nowMs: number): Told {
    if (nowMs < this.#emptyUntilMs) return this.#emptyUntilMs - nowMs
    return this.#lapsed(nowMs) || this.#tokens === 0 ? null : 0
  }

  /** A token was taken for what did not happen after all. @returns whether the owner is to be told */
  giveBack(nowMs: number): boolean {
    this.#emptyUntilMs = -Infinity
    if (this.#tokens === 0 || this.#lapsed(nowMs)) return true
    this.#tokens++
    return false
  }

  /** Puts down what is to be asked of the owner. What is held goes back first. */
  ask(limit: RateLimit, needed: number, nowMs: number): Pick<RateAsk, "needed" | "ahead" | "back"> {
    const back = this.#tokens
    this.#tokens = 0
    this.#askedAtMs = nowMs
    const ahead = needed === 0 ? 0 : Math.min(this.#spentWithin(nowMs), heldMax(limit))
    return { needed, ahead, back }
  }

  /** @returns how many of the requests that were needed have a token */
  answered({ granted, retryAfterMs }: RateAnswer, needed: number, nowMs: number): number {
    const served = Math.min(granted, needed)
    this.#spends(served, nowMs)
    this.#tokens = granted - served
    // The owner counts from its answer on, which is later.
    this.#heldSinceMs = this.#askedAtMs
    this.#emptyUntilMs = retryAfterMs > 0 ? this.#askedAtMs + retryAfterMs : -Infinity
    return served
  }

  /** Whether tokens are to go back, as nobody has taken them in time. */
  hasLapsed(nowMs: number): boolean {
    return this.#tokens > 0 && this.#lapsed(nowMs)
  }

  /** Whether it knows nothing that a new one would not know. */
  isIdle(nowMs: number): boolean {
    return this.#tokens === 0 && nowMs >= this.#emptyUntilMs && this.#spentWithin(nowMs) === 0
  }

  /** A clock that was set back ends it as well. */
  #lapsed(nowMs: number): boolean {
    const heldMs = nowMs - this.#heldSinceMs
    return heldMs < 0 || heldMs >= RateLimits.heldFor.ms
  }

  #spends(tokens: number, nowMs: number): void {
    const sinceMs = nowMs - this.#spentSinceMs
    if (sinceMs < 0 || sinceMs >= RateLimits.heldFor.ms) {
      this.#spent = 0
      this.#spentSinceMs = nowMs
    }
    this.#spent += tokens
  }

  #spentWithin(nowMs: number): number {
    const sinceMs = nowMs - this.#spentSinceMs
    return sinceMs >= 0 && sinceMs < RateLimits.heldFor.ms ? this.#spent : 0
  }
}

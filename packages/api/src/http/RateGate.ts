import type { SharedRate } from "@atrium/actors/rates/OwnedRate"
import { RateLimited } from "@atrium/domain/shared/Refusal"
import { Clock, Effect } from "effect"

import { awaited } from "./Awaited.ts"

/** Lets each subject, such as an address or an account, through as often as a limit allows. */
export class RateGate {
  readonly #rate: SharedRate

  constructor(rate: SharedRate) {
    this.#rate = rate
  }

  pass(subject: string): Effect.Effect<void, RateLimited> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.flatMap(awaited(this.#rate.take(subject, nowMs)), unlessLimited)
    )
  }

  /** Refuses whom {@link pass} would refuse, and takes nothing. Nobody is remembered for it. */
  check(subject: string): Effect.Effect<void, RateLimited> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.flatMap(awaited(this.#rate.look(subject, nowMs)), unlessLimited)
    )
  }
}

const unlessLimited = (retryAfterMs: number): Effect.Effect<void, RateLimited> =>
  retryAfterMs === 0 ? Effect.void : Effect.fail(new RateLimited({ retryAfterMs }))

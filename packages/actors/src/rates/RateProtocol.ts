import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/** The owner of buckets, keyed by a number below `RateLimits.rateOwners`: it alone gives their tokens. Source: C-379. */
export const RateActor = Entity.make("Rate", [
  Rpc.make("Ask", {
    payload: {
      rate: Schema.Struct({
        says: Schema.String,
        burst: Schema.Int,
        tokens: Schema.Int,
        everyMs: Schema.Int
      }),
      subject: Schema.String,
      runner: Schema.String,
      needed: Schema.Int,
      ahead: Schema.Int,
      back: Schema.Int
    },
    success: Schema.Struct({ granted: Schema.Int, retryAfterMs: Schema.Int })
  })
])

import { RateOwner } from "@atrium/domain/rates/RateOwner"
import { Clock, Effect } from "effect"

import { RateActor } from "./RateProtocol.ts"

/**
 * The owner's shell. Its buckets are in memory alone: those of an owner that begins elsewhere are full. An owner that
 * rests for a day has nothing to remember, as every bucket is full again by then.
 */
export const RateEntity = RateActor.toLayer(
  Effect.sync(() => {
    const owner = new RateOwner()
    return RateActor.of({
      Ask: ({ payload }) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => owner.answer(payload, nowMs))
    })
  }),
  { concurrency: "unbounded", mailboxCapacity: 4096, maxIdleTime: "1 day" }
)

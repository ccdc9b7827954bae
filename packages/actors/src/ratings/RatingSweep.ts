import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { RatingLimits } from "@atrium/wire/ratings/RatingLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { RatingStore } from "./RatingStore.ts"

/** Forgets the ids of reports that are kept no longer, once per cluster. Source: C-593. */
export const RatingSweep = Singleton.make(
  "RatingSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* RatingStore
    yield* removeOld.pipe(
      Effect.repeat({ until: (removed) => removed < RatingLimits.ratingSweepBatch.max }),
      logFailure("ids of old rating reports were not removed"),
      lookEvery(RoomLimits.sweepEvery.ms)
    )
  })
)

import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { ReplayStore } from "./ReplayStore.ts"

/** Removes replays whose time is over, and ends recordings whose rooms are gone: once per cluster. */
export const ReplaySweep = Singleton.make(
  "ReplaySweep",
  Effect.gen(function* () {
    const { removeExpired, endLost } = yield* ReplayStore
    yield* removeExpired.pipe(
      Effect.repeat({ until: (removed) => removed < ReplayStoreLimits.replaySweepBatch.max }),
      Effect.andThen(endLost),
      logFailure("replays that have expired were not removed"),
      lookEvery(ReplayStoreLimits.replaySweep.ms)
    )
  })
)

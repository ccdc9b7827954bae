import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { SiteStore } from "./SiteStore.ts"

/** Removes unfinished uploads after an hour, and content that nothing uses; once per cluster. Source: C-357. */
export const SiteSweep = Singleton.make(
  "SiteSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* SiteStore
    yield* removeOld.pipe(
      Effect.repeat({
        until: (removed) => removed === 0,
        times: SiteLimits.siteSweepBatches.max - 1
      }),
      logFailure("old content of sites was not removed"),
      lookEvery(SiteLimits.siteSweep.ms)
    )
  })
)

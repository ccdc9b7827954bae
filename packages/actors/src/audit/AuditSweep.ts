import { Limits } from "@atrium/domain/Limits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { AuditStore } from "../store/AuditStore.ts"
import { isStoreAway } from "../store/StoreFailure.ts"

/** Removes rows of the audit log that are 90 days old, once per cluster. Source: C-233. */
export const AuditSweep = Singleton.make(
  "AuditSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* AuditStore
    yield* removeOld.pipe(
      Effect.repeat({ until: (removed) => removed < Limits.auditSweepBatch.max }),
      Effect.catchCause((cause) =>
        isStoreAway(cause)
          ? Effect.void
          : Effect.logError("old rows of the audit log were not removed", cause)
      ),
      lookEvery(Limits.sweepEvery.ms)
    )
  })
)

import { AuditLimits } from "@atrium/domain/audit/AuditLimits"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { AuditStore } from "./AuditStore.ts"

/** Removes rows of the audit log that are 90 days old, once per cluster. Source: C-233. */
export const AuditSweep = Singleton.make(
  "AuditSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* AuditStore
    yield* removeOld.pipe(
      Effect.repeat({ until: (removed) => removed < AuditLimits.auditSweepBatch.max }),
      logFailure("old rows of the audit log were not removed"),
      lookEvery(RoomLimits.sweepEvery.ms)
    )
  })
)

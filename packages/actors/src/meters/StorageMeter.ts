import { dayStart } from "@atrium/domain/meters/Metering"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { MeterStore } from "./MeterStore.ts"
import { StoredBytes, type StoredPart } from "./StoredBytes.ts"

/**
 * Looks every few minutes through all objects for what each project stores, and once a day for days of
 * all meters that are too old; once per cluster. Source: C-494.
 */
export const StorageMeter = Singleton.make(
  "StorageMeter",
  Effect.gen(function* () {
    const stored = yield* StoredBytes
    const meters = yield* MeterStore
    let cleanedDay: number | null = null
    const look = Effect.gen(function* () {
      const levels = new Map<ProjectId, number>()
      for (let after: string | null = ""; after !== null;) {
        const part: StoredPart = yield* stored.part({ after, most: MeterLimits.storagePart.max })
        for (const { projectId, bytes } of part.sums) {
          levels.set(projectId, (levels.get(projectId) ?? 0) + bytes)
        }
        after = part.last
      }
      yield* stored.keep(levels)
      const today = dayStart(yield* Clock.currentTimeMillis)
      if (today === cleanedDay) return
      yield* meters.removeOld
      cleanedDay = today
    })
    yield* look.pipe(
      logFailure("what projects store could not be metered"),
      lookEvery(MeterLimits.storageLook.ms)
    )
  })
)

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
 * Looks every few minutes through all objects, and all rows that count, for what each project stores;
 * once a day it looks for days of all meters that are too old. Once per cluster. Source: C-494.
 */
export const StorageMeter = Singleton.make(
  "StorageMeter",
  Effect.gen(function* () {
    const stored = yield* StoredBytes
    const meters = yield* MeterStore
    let cleanedDay: number | null = null
    const look = Effect.gen(function* () {
      const levels = new Map<ProjectId, number>()
      for (const place of stored.places) {
        for (let after: string | null = ""; after !== null;) {
          const most = MeterLimits.storagePart.max
          const part: StoredPart = yield* stored.part({ place, after, most })
          for (const { projectId, bytes } of part.sums) {
            levels.set(projectId, (levels.get(projectId) ?? 0) + bytes)
          }
          after = part.last
        }
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

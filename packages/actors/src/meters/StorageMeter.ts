import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { StoredBytes, type StoredPart } from "./StoredBytes.ts"

/** Looks every few minutes through all objects for what each project stores; once per cluster. Source: C-494. */
export const StorageMeter = Singleton.make(
  "StorageMeter",
  Effect.gen(function* () {
    const stored = yield* StoredBytes
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
    })
    yield* look.pipe(
      logFailure("what projects store could not be metered"),
      lookEvery(MeterLimits.storageLook.ms)
    )
  })
)

import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { AlertStore } from "./AlertStore.ts"

/** Raises alerts of caps that are near or reached, once per cluster. Source: C-503. */
export const CapWatch = Singleton.make(
  "CapWatch",
  Effect.gen(function* () {
    const { raise } = yield* AlertStore
    yield* raise.pipe(
      logFailure("the caps could not be compared with their uses", Effect.logWarning),
      lookEvery(MeterLimits.alertLook.ms)
    )
  })
)

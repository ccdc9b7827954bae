import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { LifeStore } from "./LifeStore.ts"

/** Removes expired events of rooms' lives, once per cluster. Source: C-772. */
export const LifeSweep = Singleton.make(
  "LifeSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* LifeStore
    yield* Effect.repeat(removeOld, { while: (removed) => removed > 0 }).pipe(
      logFailure("old events of rooms' lives were not removed"),
      lookEvery(RoomLimits.sweepEvery.ms)
    )
  })
)

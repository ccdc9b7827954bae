import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { BoardStore } from "./BoardStore.ts"

/** Removes scores of removed boards and of periods that are kept no longer, once per cluster. Source: C-583. */
export const BoardSweep = Singleton.make(
  "BoardSweep",
  Effect.gen(function* () {
    const { removeSome } = yield* BoardStore
    yield* removeSome.pipe(
      Effect.repeat({ until: (more) => !more }),
      logFailure("scores that are kept no longer were not removed"),
      lookEvery(RoomLimits.sweepEvery.ms)
    )
  })
)

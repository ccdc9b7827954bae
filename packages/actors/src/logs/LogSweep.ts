import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { LogStore } from "./LogStore.ts"

/** Removes the days of log lines that no read shows any more, once per cluster. Source: C-330. */
export const LogSweep = Singleton.make(
  "LogSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* LogStore
    yield* removeOld.pipe(
      logFailure("an old day of log lines was not removed"),
      lookEvery(RoomLimits.sweepEvery.ms)
    )
  })
)

import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { MatchStore } from "./MatchStore.ts"

/** Removes tickets and party codes some minutes after their end, once per cluster. */
export const MatchSweep = Singleton.make(
  "MatchSweep",
  Effect.gen(function* () {
    const { removeOld } = yield* MatchStore
    const { max } = QueueLimits.ticketsSwept
    const some = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      removeOld(nowMs - QueueLimits.ticketKept.ms, max)
    )
    yield* some.pipe(
      Effect.repeat({ until: (removed) => removed < max }),
      logFailure("old tickets were not removed"),
      lookEvery(QueueLimits.ticketKept.ms)
    )
  })
)

import { ClockWatch } from "@atrium/domain/shared/ClockWatch"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Clock, Effect, Layer, Schedule } from "effect"

import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RuleTime } from "./RuleTime.ts"

/** Tells awake rooms the time, and whether it runs. The clock of a branch stands. */
export const tellTime = (awake: AwakeRooms["Service"], nowMs: number, runs: boolean): void => {
  for (const room of awake.all()) {
    const incarnation = room.incarnation()
    if (incarnation?.isBranch === false) incarnation.process.clockMoved(nowMs, runs)
  }
}

/**
 * Tells awake rooms when the service's clock has jumped. A room counts on by itself from the moment
 * that it was started with; only what did not pass second by second has to be told. Source:
 * architecture, Time.
 */
export const ClockFollower = Layer.effectDiscard(
  Effect.gen(function* () {
    const awake = yield* AwakeRooms
    const { runs } = yield* RuleTime
    const watch = new ClockWatch(yield* Clock.currentTimeMillis, performance.now())
    const look = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      if (!watch.hasJumped(nowMs, performance.now())) return
      tellTime(awake, nowMs, runs())
    })
    yield* look.pipe(Effect.repeat(Schedule.spaced(ServiceLimits.clockLook.ms)), Effect.forkScoped)
  })
)

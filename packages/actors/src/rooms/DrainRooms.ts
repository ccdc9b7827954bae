import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { Effect } from "effect"

import { ThisIntake } from "../fleet/FleetIntake.ts"
import { AwakeRooms } from "./AwakeRooms.ts"
import { roomLeaving } from "./LeaveRunner.ts"

/**
 * Stores every room that is awake on this runner. Where another runner takes rooms they go on there, and clients
 * that came through other runners follow; else the clients are told to come back.
 *
 * @returns how many rooms could not be stored
 */
export const drainRooms = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const { leaving } = yield* ThisIntake
  const leave = yield* roomLeaving
  // First of all no room comes up any more, or the drain would never end.
  awake.close()
  const stored = yield* Effect.forEach(
    // What another runner may have by now is not put away by this one.
    awake.all().filter(({ gate }) => !gate.lapsed),
    (room) =>
      leave(room, leaving).pipe(
        Effect.as(true),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("a room was not stored", cause), false)
        )
      ),
    { concurrency: HandoverLimits.handoverAtOnce.max }
  )
  return stored.filter((each) => !each).length
})

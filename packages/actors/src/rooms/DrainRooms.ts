import { handoversAtOnce } from "@atrium/domain/handover/HandoversAtOnce"
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
  // What another runner may have by now is not put away by this one.
  const rooms = awake.all().filter(({ gate }) => !gate.lapsed)
  const stored = yield* Effect.forEach(
    rooms,
    (room) =>
      leave(room, leaving).pipe(
        Effect.as(true),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("a room was not stored", cause), false)
        )
      ),
    { concurrency: handoversAtOnce(rooms.length) }
  )
  return stored.filter((each) => !each).length
})

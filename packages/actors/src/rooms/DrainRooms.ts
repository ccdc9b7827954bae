import { roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect, Schedule } from "effect"

import { AwakeRooms } from "./AwakeRooms.ts"
import { RoomActor } from "./RoomProtocol.ts"

/** Rooms that are put away at once at a shutdown. */
const drains = 16

/**
 * Stores every room that is awake on this runner and tells its clients to come back.
 *
 * @returns how many rooms could not be stored
 */
export const drainRooms = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const actorOf = yield* RoomActor.client
  // First of all no room comes up any more, or the drain would never end.
  awake.close()
  const stored = yield* Effect.forEach(
    awake.all(),
    (room) =>
      actorOf(roomKeyText(room.key))
        .PutAway({ ...room.seat(), reason: "shutdown" })
        .pipe(
          // The store may be away just now; rooms wait for it as long as the shutdown may.
          Effect.retry({
            schedule: Schedule.spaced("200 millis"),
            while: ({ _tag }) => _tag === "E_TENANT_WAKING"
          }),
          Effect.timeout(ServiceLimits.drain.ms),
          Effect.as(true),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logError("a room was not stored", cause), false)
          ),
          Effect.annotateLogs({ project: room.key.projectId, room: room.key.roomId })
        ),
    { concurrency: drains }
  )
  return stored.filter((each) => !each).length
})

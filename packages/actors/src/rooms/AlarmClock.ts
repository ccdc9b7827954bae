import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { AlarmStore } from "./AlarmStore.ts"
import { RoomActor } from "./RoomProtocol.ts"

/** Rooms that are woken at once. */
const wakes = 8

/**
 * Wakes sleeping rooms whose alarm is due, once per cluster. An awake room keeps its own alarms and
 * takes the due one out of the index itself, so a wake of it is no more than a look.
 */
export const AlarmClock = Singleton.make(
  "AlarmClock",
  Effect.gen(function* () {
    const alarms = yield* AlarmStore
    const actorOf = yield* RoomActor.client

    const ring = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const due = yield* alarms.due(nowMs, RoomLimits.alarmsPerLook.max)
      yield* Effect.forEach(
        due,
        (key) =>
          // A room that cannot be woken, or does not take its alarm, would be woken at every look.
          alarms.postpone(key, { nowMs, untilMs: nowMs + RoomLimits.alarmRetry.ms }).pipe(
            Effect.andThen(
              actorOf(roomKeyText(key))
                .Wake({ type: null, create: false })
                .pipe(
                  Effect.timeout(ServiceLimits.actorCall.ms),
                  // A room that is gone has no alarms: it would be woken for ever.
                  Effect.catchTag("E_ROOM_NOT_FOUND", () => alarms.setNext(key, null)),
                  // It stays put off until the wall is gone: that is no fault.
                  Effect.catchTag("E_CAP_REACHED", () => Effect.void),
                  Effect.catchCause((cause) =>
                    Effect.logWarning("an alarm woke nobody; it rings again later", cause)
                  )
                )
            ),
            Effect.annotateLogs({ project: key.projectId, room: key.roomId })
          ),
        { concurrency: wakes, discard: true }
      )
    })

    yield* ring.pipe(logFailure("the alarms could not be read"), lookEvery(RoomLimits.alarmLook.ms))
  })
)

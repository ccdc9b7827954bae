import { roomKeyText } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { Clock, Effect, Schedule } from "effect"
import { Singleton } from "effect/cluster"

import { AlarmStore } from "../store/AlarmStore.ts"
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
      const due = yield* alarms.due(yield* Clock.currentTimeMillis, Limits.alarmsPerLook.max)
      yield* Effect.forEach(
        due,
        (key) =>
          actorOf(roomKeyText(key))
            .Wake({ type: null, create: false })
            .pipe(
              Effect.timeout(Limits.actorCall.ms),
              // A room that is gone has no use for its alarm.
              Effect.catchTag("E_ROOM_NOT_FOUND", () => alarms.setNext(key, null)),
              Effect.catchCause((cause) => Effect.logWarning("an alarm woke nobody", cause)),
              Effect.annotateLogs({ project: key.projectId, room: key.roomId })
            ),
        { concurrency: wakes, discard: true }
      )
    })

    yield* ring.pipe(
      Effect.catchCause((cause) => Effect.logError("the alarms could not be read", cause)),
      Effect.repeat(Schedule.spaced(Limits.alarmLook.ms))
    )
  })
)

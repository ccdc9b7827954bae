import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { heeded, stopRooms } from "../rooms/StopRooms.ts"
import { logFailure } from "../store/StoreFailure.ts"

/**
 * Lets queued restores take effect, once per cluster. The project's servers stop for it: its other
 * rooms store their state and come back from it. The queue is the rooms' own rows, so that what a
 * crash cut short goes on. Spec: States and transitions, restore queued.
 */
export const Restorer = Singleton.make(
  "Restorer",
  Effect.suspend(() =>
    restoreQueued.pipe(
      logFailure("restores could not be looked for"),
      lookEvery(RoomLimits.restoreLook.ms)
    )
  )
)

const restoreQueued = Effect.gen(function* () {
  const queued = yield* (yield* RoomStore).restoring
  const byProject = Map.groupBy(queued, ({ projectId }) => projectId)
  yield* Effect.forEach(byProject, ([projectId, keys]) => restoreIn(projectId, keys), {
    discard: true
  })
})

const restoreIn = Effect.fn("Restorer.restoreIn")(function* (
  projectId: ProjectId,
  queued: ReadonlyArray<RoomKey>
) {
  const actorOf = yield* RoomActor.client
  yield* stopRooms(projectId, { reason: "restore", but: queued })
  // A room that does not answer is asked again at the next look, if it still waits.
  yield* Effect.forEach(queued, (key) => heeded(key, actorOf(roomKeyText(key)).TakeRestore()), {
    discard: true
  })
})

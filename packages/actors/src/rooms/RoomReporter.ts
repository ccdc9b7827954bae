import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Clock, Effect, Layer } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import type { AwakeRoom } from "./AwakeRoom.ts"
import { AwakeRooms } from "./AwakeRooms.ts"
import type { RoomReport } from "./RoomCensus.ts"
import { RoomCounts } from "./RoomCounts.ts"
import { RoomStore } from "./RoomStore.ts"

/**
 * Writes to the rows of this runner's awake rooms how many players they have: soon after the number
 * has changed, with one statement for all rooms, and now and then for every room, as its server lives.
 * One look at a time, so that no older number overtakes a newer one. Spec: Room list row; C-230.
 */
export const RoomReporter = Layer.effectDiscard(
  Effect.gen(function* () {
    const awake = yield* AwakeRooms
    const rooms = yield* RoomStore
    const counts = new RoomCounts()
    const report = Effect.gen(function* () {
      const due = counts.due(awake.all().map(reportOf), yield* Clock.currentTimeMillis)
      yield* rooms.report(due)
    })
    yield* report.pipe(
      Effect.tapCause(() => Effect.sync(() => counts.forget())),
      logFailure("rooms could not be reported", Effect.logWarning),
      lookEvery(RoomLimits.reportChanges.ms),
      Effect.forkScoped
    )
  })
)

const reportOf = (room: AwakeRoom): RoomReport => ({
  projectId: room.key.projectId,
  roomId: room.key.roomId,
  epoch: room.epoch(),
  clients: room.gate.players,
  entered: room.gate.entered
})

import { Limits } from "@atrium/domain/Limits"
import { Effect, Layer } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { RoomStore } from "../store/RoomStore.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { AwakeRooms } from "./AwakeRooms.ts"

/** Writes to the rows of this runner's awake rooms how many clients they have. Spec: Room list row. */
export const RoomReporter = Layer.effectDiscard(
  Effect.gen(function* () {
    const awake = yield* AwakeRooms
    const rooms = yield* RoomStore
    const report = Effect.suspend(() =>
      rooms.report(
        awake
          .all()
          .map((room) => ({ ...room.key, epoch: room.epoch(), clients: room.gate.clients }))
      )
    )
    yield* report.pipe(
      Effect.catchCause((cause) =>
        isStoreAway(cause) ? Effect.void : Effect.logWarning("rooms could not be reported", cause)
      ),
      lookEvery(Limits.reportEvery.ms),
      Effect.forkScoped
    )
  })
)

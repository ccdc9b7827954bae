import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Effect, Layer } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { stopRooms } from "../rooms/StopRooms.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { CapWalls } from "./CapWalls.ts"

/**
 * Puts a project's rooms on this runner to sleep when the project has reached its data-out wall: its
 * meter, its ceiling or its plan may have changed. Rooms stay awake while the store does not answer.
 * Source: D-45; C-231.
 */
export const WallWatch = Layer.effectDiscard(
  Effect.gen(function* () {
    const awake = yield* AwakeRooms
    const walls = yield* CapWalls
    const look = Effect.gen(function* () {
      const projects = new Set(awake.all().map(({ key }) => key.projectId))
      for (const projectId of yield* walls.atDataOut([...projects])) {
        yield* stopRooms(projectId, { reason: "dataOut" })
      }
    })
    yield* look.pipe(
      logFailure("the walls could not be read", Effect.logWarning),
      lookEvery(MeterLimits.wallLook.ms),
      Effect.forkScoped
    )
  })
)

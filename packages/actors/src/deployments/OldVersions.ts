import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import { Effect, Layer, Option } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { type DeploymentRow, DeploymentStore } from "./DeploymentStore.ts"
import { moveOne } from "./RoomMover.ts"

/** Rooms that move to a new version at once. */
const moves = 4

/**
 * Moves the rooms of this runner that are up on an older version than their project's. A deployment
 * moves them itself, unless the runner that took it stops before it is through. Source: C-314.
 */
const moveOldRooms = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const deployments = yield* DeploymentStore
  const actorOf = yield* RoomActor.client
  const byProject = new Map<ProjectId, Array<AwakeRoom>>()
  for (const room of awake.all()) {
    const rooms = byProject.get(room.key.projectId) ?? []
    rooms.push(room)
    byProject.set(room.key.projectId, rooms)
  }
  for (const [projectId, rooms] of byProject) {
    const current = Option.getOrNull(yield* deployments.current(projectId))
    if (current === null) continue
    yield* Effect.forEach(
      rooms.filter((room) => isOld(room, current)),
      ({ key }) => moveOne(key, actorOf(roomKeyText(key)).MakeWay({ version: current.version })),
      { concurrency: moves, discard: true }
    )
  }
})

/** A room without code has nothing to gain from a version that has its schema and no code either. */
const isOld = (room: AwakeRoom, current: DeploymentRow): boolean => {
  const up = room.incarnation()
  if (up === null || up.order.version >= current.version) return false
  const stays =
    up.relay &&
    current.relay &&
    current.roomTypes.some(
      ({ type, schemaHash }) => type === up.deployed.type && schemaHash === up.deployed.schemaHash
    )
  return !stays
}

/** `moveOldRooms` once a minute, on every runner. */
export const OldVersions = Layer.effectDiscard(
  moveOldRooms.pipe(
    Effect.catchCause((cause) =>
      isStoreAway(cause)
        ? Effect.void
        : Effect.logWarning("rooms of older versions could not be moved", cause)
    ),
    lookEvery(RoomLimits.oldVersionLook.ms),
    Effect.forkScoped
  )
)

import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import { Effect, Layer, Option } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { type DeploymentRow, DeploymentStore } from "./DeploymentStore.ts"
import { moveOne, typesThatStay } from "./RoomMover.ts"

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
  const projectIds = new Set(awake.all().map(({ key }) => key.projectId))
  const versions = yield* deployments.currentVersions([...projectIds])
  const old = awake.all().filter((room) => isOlder(room, versions))
  const currents = new Map<ProjectId, DeploymentRow>()
  for (const projectId of new Set(old.map(({ key }) => key.projectId))) {
    const current = yield* deployments.find(projectId, versions.get(projectId) ?? 0)
    if (Option.isSome(current)) currents.set(projectId, current.value)
  }
  yield* Effect.forEach(
    old,
    (room) => {
      const current = currents.get(room.key.projectId)
      if (current === undefined || stays(room, current)) return Effect.void
      const { version } = current
      return moveOne(room.key, actorOf(roomKeyText(room.key)).MakeWay({ version }))
    },
    { concurrency: moves, discard: true }
  )
})

const isOlder = (room: AwakeRoom, versions: ReadonlyMap<ProjectId, number>): boolean => {
  const up = room.incarnation()
  return up !== null && up.order.version < (versions.get(room.key.projectId) ?? 0)
}

const stays = (room: AwakeRoom, current: DeploymentRow): boolean => {
  const up = room.incarnation()
  return (
    up !== null && typesThatStay({ relay: up.relay, roomTypes: [up.deployed] }, current).length > 0
  )
}

/** `moveOldRooms` once a minute, on every runner. */
export const OldVersions = Layer.effectDiscard(
  moveOldRooms.pipe(
    logFailure("rooms of older versions could not be moved", Effect.logWarning),
    lookEvery(RoomLimits.oldVersionLook.ms),
    Effect.forkScoped
  )
)

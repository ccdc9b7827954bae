import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import { Effect, Layer, Option } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { lastDrain } from "../migrations/StatePath.ts"
import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { logFailure } from "../store/StoreFailure.ts"
import type { DeploymentRow } from "./DeploymentRow.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
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
  const currents = new Map<ProjectId, Current>()
  for (const projectId of new Set(old.map(({ key }) => key.projectId))) {
    const current = yield* deployments.find(projectId, versions.get(projectId) ?? 0)
    if (Option.isNone(current)) continue
    const row = current.value
    const drainedBy = lastDrain(yield* deployments.steps(projectId, row.version))
    currents.set(projectId, { row, drainedBy })
  }
  yield* Effect.forEach(
    old,
    (room) => {
      const current = currents.get(room.key.projectId)
      if (current === undefined || stays(room, current)) return Effect.void
      const { version } = current.row
      return moveOne(room.key, actorOf(roomKeyText(room.key)).MakeWay({ version }))
    },
    { concurrency: moves, discard: true }
  )
})

const isOlder = (room: AwakeRoom, versions: ReadonlyMap<ProjectId, number>): boolean => {
  const up = room.incarnation()
  return up !== null && !up.isBranch && up.order.version < (versions.get(room.key.projectId) ?? 0)
}

/** The current version of a project. */
interface Current {
  readonly row: DeploymentRow
  /** Rooms on versions before this one stay there until they are empty. */
  readonly drainedBy: number
}

const stays = (room: AwakeRoom, { row, drainedBy }: Current): boolean => {
  const up = room.incarnation()
  if (up === null) return false
  const { relay, deployed, order } = up
  return (
    order.version < drainedBy || typesThatStay({ relay, roomTypes: [deployed] }, row).length > 0
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

import { type ProjectId, roomKeyText } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { Clock, Effect, Schedule } from "effect"
import { Singleton } from "effect/cluster"

import { RoomActor } from "../room/RoomProtocol.ts"
import { type DeletedProject, DeletedProjects } from "../store/DeletedProjects.ts"
import { RoomStore } from "../store/RoomStore.ts"
import { isStoreAway } from "../store/StoreFailure.ts"

/** Rooms that are emptied at once. */
const evictions = 8

/**
 * Removes what deleted projects leave behind, once per cluster: rooms that are up go first, their
 * clients with 4291, then everything that is stored, in parts. What a crash cuts short the next look
 * goes on with. Source: C-71.
 */
export const ProjectPurge = Singleton.make(
  "ProjectPurge",
  Effect.gen(function* () {
    const deleted = yield* DeletedProjects
    const look = Effect.gen(function* () {
      const pending = yield* deleted.pending(Limits.purgesPerLook.max)
      yield* Effect.forEach(pending, purge, { concurrency: 2, discard: true })
    })
    yield* look.pipe(
      Effect.catchCause((cause) =>
        isStoreAway(cause)
          ? Effect.void
          : Effect.logError("a deleted project was not purged", cause)
      ),
      Effect.repeat(Schedule.spaced(Limits.purgeLook.ms))
    )
  })
)

/** One look at one project. @internal Exported for its test. */
export const purge = Effect.fn("ProjectPurge.purge")(function* (project: DeletedProject) {
  const { projectId, deletedAtMs } = project
  const deleted = yield* DeletedProjects
  const up = yield* evictRooms(projectId)
  const removed = yield* deleted
    .removeSome(projectId)
    .pipe(Effect.repeat({ until: (some) => some === 0, times: Limits.purgeParts.max - 1 }))
  const nowMs = yield* Clock.currentTimeMillis
  // Writes that were under way when it was deleted have come to their end by then.
  const settled = nowMs - deletedAtMs >= Limits.purgeSettles.ms
  if (up === 0 && removed === 0 && settled) yield* deleted.purged(projectId)
})

/** @returns how many rooms were up; one that does not go yet is asked again at the next look */
const evictRooms = Effect.fnUntraced(function* (projectId: ProjectId) {
  const rooms = yield* RoomStore
  const actorOf = yield* RoomActor.client
  const up = yield* rooms.up(projectId)
  yield* Effect.forEach(
    up,
    (key) =>
      actorOf(roomKeyText(key))
        .Delete({ force: true })
        .pipe(
          Effect.timeout(Limits.actorCall.ms),
          Effect.catchCause((cause) =>
            Effect.logWarning("a room of a deleted project is still up", cause)
          ),
          Effect.annotateLogs({ project: projectId, room: key.roomId })
        ),
    { concurrency: evictions, discard: true }
  )
  return up.length
})

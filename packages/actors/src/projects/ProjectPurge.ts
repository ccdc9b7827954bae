import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { type ProjectId, type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { type DeletedProject, DeletedProjects } from "./DeletedProjects.ts"

/** Rooms that are emptied at once. */
const evictions = 8
/** Projects that are purged at once. */
const purges = 2

/** Where {@link purge} finds what is left, and who removes it. */
export interface PurgePort extends Omit<DeletedProjects["Service"], "pending" | "among"> {
  /** Rooms of the project that are up, or on their way. */
  up(projectId: ProjectId): Effect.Effect<ReadonlyArray<RoomKey>>
  /** Closes the room's clients for good and removes the room. */
  evict(key: RoomKey): Effect.Effect<unknown, unknown>
}

/**
 * Removes what deleted projects leave behind, once per cluster: rooms that are up go first, their
 * clients with 4291, then everything that is stored, in parts. What a crash cuts short the next look
 * goes on with. Source: C-71.
 */
export const ProjectPurge = Singleton.make(
  "ProjectPurge",
  Effect.gen(function* () {
    const deleted = yield* DeletedProjects
    const rooms = yield* RoomStore
    const actorOf = yield* RoomActor.client
    const port: PurgePort = {
      up: rooms.up,
      evict: (key) => actorOf(roomKeyText(key)).Delete({ force: true }),
      removeSome: deleted.removeSome,
      purged: deleted.purged
    }
    const look = Effect.gen(function* () {
      const pending = yield* deleted.pending(ProjectLimits.purgesPerLook.max)
      yield* Effect.forEach(pending, (project) => purge(port, project), {
        concurrency: purges,
        discard: true
      })
    })
    yield* look.pipe(
      logFailure("a deleted project could not be purged"),
      lookEvery(ProjectLimits.purgeLook.ms)
    )
  })
)

/** One look at one project. It is done with when it stays empty past the time of late writes. */
export const purge = Effect.fn("ProjectPurge.purge")(function* (
  port: PurgePort,
  { projectId, deletedAtMs }: DeletedProject
) {
  const up = yield* port.up(projectId)
  yield* Effect.forEach(up, (key) => evicted(port, key), { concurrency: evictions, discard: true })
  const left = yield* port
    .removeSome(projectId)
    .pipe(Effect.repeat({ until: (some) => some === 0, times: ProjectLimits.purgeParts.max - 1 }))
  const nowMs = yield* Clock.currentTimeMillis
  const settled = nowMs - deletedAtMs >= ProjectLimits.purgeSettles.ms
  if (up.length === 0 && left === 0 && settled) yield* port.purged(projectId)
})

/** A room that does not go yet is asked again at the next look. */
const evicted = (port: PurgePort, key: RoomKey): Effect.Effect<void> =>
  port.evict(key).pipe(
    Effect.timeout(ServiceLimits.actorCall.ms),
    Effect.catchCause((cause) => Effect.logWarning("a room of a deleted project is up", cause)),
    Effect.asVoid,
    Effect.annotateLogs({ project: key.projectId, room: key.roomId })
  )

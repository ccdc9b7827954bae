import { type ProjectId, type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect } from "effect"

import { RoomActor } from "./RoomProtocol.ts"
import type { StopReason } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

/** Rooms that are put away at once. */
const stops = 4

interface Stop {
  readonly reason: StopReason
  /** Rooms that something else happens to. */
  readonly but?: ReadonlyArray<RoomKey>
}

/**
 * Puts all rooms of a project away, with or without clients: their state is stored first. Clients come
 * back after a restore; past the data-out allowance they stop (4290). Spec: States and transitions.
 */
export const stopRooms = Effect.fn("Rooms.stop")(function* (
  projectId: ProjectId,
  { reason, but = [] }: Stop
) {
  const rooms = yield* RoomStore
  const actorOf = yield* RoomActor.client
  const spared = new Set(but.map(roomKeyText))
  const stopped = (yield* rooms.up(projectId)).filter((key) => !spared.has(roomKeyText(key)))
  yield* Effect.forEach(stopped, (key) => heeded(key, actorOf(roomKeyText(key)).Stop({ reason })), {
    concurrency: stops,
    discard: true
  })
})

/** A room that does not answer holds up no other. */
export const heeded = (key: RoomKey, call: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  call.pipe(
    Effect.timeout(ServiceLimits.actorCall.ms),
    Effect.catchCause((cause) => Effect.logWarning("a room did not heed its order", cause)),
    Effect.annotateLogs({ project: key.projectId, room: key.roomId })
  )

import { roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect, Schedule } from "effect"

import type { AwakeRoom } from "./AwakeRoom.ts"
import { RoomActor } from "./RoomProtocol.ts"

/** The store may be away just now; rooms wait for it as long as the shutdown may. */
const whileWaking = {
  schedule: Schedule.spaced("200 millis"),
  while: ({ _tag }: { readonly _tag: string }) => _tag === "E_TENANT_WAKING"
}

/**
 * Lets a room leave this runner. Where another runner may take it (`moves`), its clients follow it there; else it
 * is put away, and they get 1012. Fails if the room is not stored in time.
 */
export const roomLeaving = Effect.map(
  RoomActor.client,
  (actorOf) =>
    (room: AwakeRoom, moves: boolean): Effect.Effect<void, unknown> => {
      const actor = actorOf(roomKeyText(room.key))
      const away = Effect.retry(
        Effect.suspend(() => actor.PutAway({ ...room.seat(), reason: "shutdown" })),
        whileWaking
      )
      const move = Effect.retry(
        Effect.suspend(() => actor.Move({ from: room.seat(), wake: room.gate.connections > 0 })),
        whileWaking
      )
      // The actor may be on a runner of a version before, which knows no move.
      const leave = moves ? Effect.catchCause(move, () => away) : away
      return leave.pipe(
        Effect.timeout(ServiceLimits.drain.ms),
        Effect.annotateLogs({ project: room.key.projectId, room: room.key.roomId })
      )
    }
)

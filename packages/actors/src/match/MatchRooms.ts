import { isRoomId, type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Context, Effect, Layer } from "effect"

import { RoomActor } from "../rooms/RoomProtocol.ts"

/** The rooms of matches. */
export class MatchRooms extends Context.Service<
  MatchRooms,
  {
    /** Starts the room of a match. A room that does not start now is started by its first player. */
    make(
      projectId: ProjectId,
      room: { readonly roomId: string; readonly type: string }
    ): Effect.Effect<void>
  }
>()("@atrium/actors/match/MatchRooms") {
  static readonly layer = Layer.effect(
    MatchRooms,
    Effect.map(RoomActor.client, (actorOf) => ({
      make: (projectId, { roomId, type }) =>
        isRoomId(roomId)
          ? actorOf(roomKeyText({ projectId, roomId }))
              .Wake({ type, create: true })
              .pipe(Effect.timeout(ServiceLimits.actorCall.ms), Effect.ignore)
          : Effect.void
    }))
  )
}

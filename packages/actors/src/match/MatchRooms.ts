import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { isRoomId, type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Context, Effect, Layer } from "effect"

import { RoomActor } from "../rooms/RoomProtocol.ts"
import { ServerActor, serverKeyText } from "../servers/ServerProtocol.ts"
import type { OfferedRoom } from "./MatchRows.ts"

/** Players on their way to a room, and until when it keeps their seats. */
interface Sent {
  readonly players: ReadonlyArray<string>
  readonly untilMs: number
}

/** The rooms of matches. */
export class MatchRooms extends Context.Service<
  MatchRooms,
  {
    /**
     * Starts the room of a match, which keeps the seats of its players. A room that does not start now is started by
     * its first player, and keeps none.
     */
    make(
      projectId: ProjectId,
      room: Sent & { readonly roomId: string; readonly type: string; readonly maxClients: number }
    ): Effect.Effect<void>
    /**
     * Asks a room to keep seats for players. A room that is not up is empty: it has them. One that does not answer in
     * time has none.
     */
    keep(
      projectId: ProjectId,
      room: Sent & Pick<OfferedRoom, "roomId" | "at" | "maxClients">
    ): Effect.Effect<boolean>
  }
>()("@atrium/actors/match/MatchRooms") {
  static readonly layer = Layer.effect(
    MatchRooms,
    Effect.gen(function* () {
      const actorOf = yield* RoomActor.client
      const serverOf = yield* ServerActor.client

      const keep: MatchRooms["Service"]["keep"] = (projectId, room) => {
        const { at, roomId, players, untilMs, maxClients: seatsMax } = room
        if (at === null) return Effect.succeed(true)
        return serverOf(serverKeyText(projectId, at.serverIndex))
          .KeepSeats({ roomId, epoch: at.epoch, players, untilMs, seatsMax })
          .pipe(
            Effect.timeout(QueueLimits.seatAsked.ms),
            // The room's runner is gone, frozen, or of a version before.
            Effect.catchCause(() => Effect.succeed(false))
          )
      }

      return {
        make: (projectId, { type, ...room }) =>
          isRoomId(room.roomId)
            ? actorOf(roomKeyText({ projectId, roomId: room.roomId }))
                .Wake({ type, create: true })
                .pipe(
                  Effect.timeout(ServiceLimits.actorCall.ms),
                  Effect.flatMap((at) => keep(projectId, { ...room, at })),
                  Effect.ignore
                )
            : Effect.void,
        keep
      }
    })
  )
}

import type { RoomKey } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { Clock, Effect } from "effect"

import { ServerActor, serverKeyText, type StartOrder } from "../server/ServerProtocol.ts"
import { RoomStore } from "../store/RoomStore.ts"
import { type Incarnation, type RoomAction, RoomEvent } from "./RoomMachine.ts"

/** What a chain of steps answers its caller with. */
export type RoomAnswer = Extract<RoomAction, { readonly _tag: "Answer" | "Refuse" }>

/**
 * Performs the orders of the room's machine with the room's server and store. A server that does not
 * answer is an answer too: what comes back is always the next event, or nothing.
 */
export const makeRoomPerformer = Effect.fnUntraced(function* (key: RoomKey) {
  const rooms = yield* RoomStore
  const serverOf = yield* ServerActor.client
  const server = (at: Incarnation) => serverOf(serverKeyText(key.projectId, at.serverIndex))

  const startOn = (at: Incarnation) => {
    const order: StartOrder = { ...at, roomId: key.roomId }
    return server(at)
      .StartRoom(order)
      .pipe(
        Effect.timeout(Limits.actorCall.ms),
        Effect.map(({ slot }) => RoomEvent.Started({ epoch: at.epoch, slot })),
        Effect.catchTags({
          ServerFull: () => Effect.succeed(RoomEvent.ServerFull({ epoch: at.epoch })),
          ServerClosing: () => Effect.succeed(RoomEvent.ServerRefused({ epoch: at.epoch })),
          // It is no fault of the room: it must not count as a death of its process.
          StoreAway: () => Effect.succeed(RoomEvent.ServerRefused({ epoch: at.epoch })),
          StartFailed: ({ message }) =>
            Effect.map(Clock.currentTimeMillis, (nowMs) =>
              RoomEvent.StartFailed({ epoch: at.epoch, nowMs, message })
            )
        }),
        unanswered(RoomEvent.ServerRefused({ epoch: at.epoch }))
      )
  }

  const drainOn = ({ at, reason }: Extract<RoomAction, { readonly _tag: "DrainRoom" }>) =>
    server(at)
      .DrainRoom({ roomId: key.roomId, epoch: at.epoch, reason })
      .pipe(
        Effect.timeout(Limits.actorCall.ms),
        Effect.map(({ clientsBack }) => RoomEvent.Drained({ epoch: at.epoch, clientsBack })),
        unanswered(RoomEvent.Drained({ epoch: at.epoch, clientsBack: false }))
      )

  const closeOn = ({ at, because }: Extract<RoomAction, { readonly _tag: "CloseRoom" }>) =>
    server(at)
      .CloseRoom({ roomId: key.roomId, epoch: at.epoch, because })
      .pipe(Effect.timeout(Limits.actorCall.ms), Effect.as(null), unanswered(null))

  return (action: Exclude<RoomAction, RoomAnswer>): Effect.Effect<RoomEvent | null> => {
    switch (action._tag) {
      case "ClaimEpoch":
        return Effect.map(rooms.claimEpoch, (epoch) => RoomEvent.EpochClaimed({ epoch }))
      case "StartRoom":
      case "RestartRoom":
        return startOn(action.at)
      case "DrainRoom":
        return drainOn(action)
      case "CloseRoom":
        return closeOn(action)
    }
  }
})

const unanswered =
  <B>(event: B) =>
  <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.catchCause(call, (cause) =>
      Effect.as(Effect.logWarning("the room's server did not answer", cause), event)
    )

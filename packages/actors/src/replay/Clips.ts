import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { isRoomId, type ProjectId, type RoomKey } from "@atrium/domain/shared/Ids"
import {
  BadRequest,
  CapReached,
  ClipCooldown,
  ClipDisarmed,
  ClipTooLarge,
  NotReady,
  ReplayOff,
  RoomNotFound
} from "@atrium/domain/shared/Refusal"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import type { ClipOptions } from "@atrium/runtime/host/HostOrders"
import { ReplayCodes } from "@atrium/wire/replay/ReplayCodes"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { Context, Effect, Layer, Option } from "effect"

import { placeOf } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { type ClipAnswer, ServerActor, serverKeyText } from "../servers/ServerProtocol.ts"
import { untimed } from "../store/AnswerTime.ts"
import type { ReplayRow } from "./ReplayRows.ts"
import { ReplayStore } from "./ReplayStore.ts"

/** Why there is no clip of a room. */
export type ClipRefusal =
  | RoomNotFound
  | BadRequest
  | ReplayOff
  | ClipDisarmed
  | ClipCooldown
  | ClipTooLarge
  | CapReached
  | NotReady

/** Clips that somebody asks for who is not in the room. */
export class Clips extends Context.Service<
  Clips,
  {
    make(
      room: { readonly projectId: ProjectId; readonly roomId: string },
      options: ClipOptions
    ): Effect.Effect<ReplayRow, ClipRefusal>
  }
>()("@atrium/actors/replay/Clips") {
  static readonly layer = Layer.effect(
    Clips,
    Effect.gen(function* () {
      const rooms = yield* RoomStore
      const store = yield* ReplayStore
      const serverOf = yield* ServerActor.client

      /** `null` = nobody answers. */
      const asked = Effect.fnUntraced(function* (key: RoomKey, options: ClipOptions) {
        const row = yield* rooms.load(key)
        if (row === null) return yield* noSuchRoom
        const at = placeOf(row.state)
        if (at === null) return yield* off
        return yield* serverOf(serverKeyText(key.projectId, at.serverIndex))
          .MakeClip({ roomId: key.roomId, epoch: at.epoch, ...options })
          .pipe(
            Effect.timeout(answerMs),
            // The room's runner is gone, frozen, or of a version before.
            Effect.catchCause(() => Effect.fail(noAnswer))
          )
      })

      const make: Clips["Service"]["make"] = Effect.fn("Clips.make")(function* (
        { projectId, roomId },
        options
      ) {
        if (!isRoomId(roomId)) return yield* noSuchRoom
        const answer = yield* untimed(asked({ projectId, roomId }, options))
        if (answer === null) return yield* off
        if ("code" in answer) return yield* clipRefusalOf(answer)
        const row = Option.getOrNull(yield* store.find(answer.clipId))
        return row === null || row.projectId !== projectId ? yield* noAnswer : row
      })
      return { make }
    })
  )
}

const answerMs = ReplayStoreLimits.clipFromRoom.ms + ServiceLimits.actorCall.ms

const noSuchRoom = new RoomNotFound({ message: "no such room" })
const off = new ReplayOff({ message: "the room is not awake, or its type declares no replay" })
const noAnswer = new NotReady({ message: "the room made no clip; ask again later" })

/** What the room, or the service for it, has refused. */
const clipRefusalOf = (refused: Extract<ClipAnswer, { readonly code: string }>): ClipRefusal => {
  const message = refused.message.slice(0, messageMax)
  switch (refused.code) {
    case ReplayCodes.badRequest:
      return new BadRequest({ message })
    case ReplayCodes.clipDisarmed:
      return new ClipDisarmed({ message })
    case ReplayCodes.clipCooldown:
      return new ClipCooldown({ retryAfterMs: ReplayLimits.clips.everyMs })
    case ReplayCodes.clipTooLarge:
      return new ClipTooLarge({ message })
    case ReplayCodes.off:
      return new ReplayOff({ message })
    case "E_CAP_REACHED":
      return new CapReached({ message })
    default:
      return noAnswer
  }
}

/** Room code words it. */
const messageMax = 300

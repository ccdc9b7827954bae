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
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Context, Effect, Layer, Option } from "effect"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import { clipsSince } from "../cluster/RunnerProtocol.ts"
import { Links, type ServerName } from "../link/Links.ts"
import { placeOf } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { type ClipOutcome, ServerActor, serverKeyText } from "../servers/ServerProtocol.ts"
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
      const isOlder = yield* makeIsOlder

      /** `null` = the room records nothing. */
      const asked = Effect.fnUntraced(function* (key: RoomKey, options: ClipOptions) {
        const row = yield* rooms.load(key)
        if (row === null) return yield* noSuchRoom
        const at = placeOf(row.state)
        if (at === null) return yield* off
        const server = { projectId: key.projectId, index: at.serverIndex }
        const order = { roomId: key.roomId, epoch: at.epoch, ...options }
        return yield* isOlder(server).pipe(
          Effect.flatMap((older) =>
            older
              ? Effect.succeed(null)
              : serverOf(serverKeyText(server.projectId, server.index)).MakeClip(order)
          ),
          Effect.timeout(answerMs),
          // The room's runner is gone, or frozen.
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

/** Whether the runner of a server is of a version before, which has no word for clips. Source: C-425. */
const makeIsOlder = Effect.gen(function* () {
  const others = yield* OtherRunners
  const links = yield* Links
  return Effect.fnUntraced(function* (server: ServerName) {
    if (!others.several) return false
    const older = (yield* others.living).filter(({ newestProtocol }) => newestProtocol < clipsSince)
    if (older.length === 0) return false
    const link = yield* links.addressOf(server)
    return link !== null && older.some((runner) => runner.link === link)
  })
})

const answerMs = ReplayStoreLimits.clipFromRoom.ms + ServiceLimits.actorCall.ms

const noSuchRoom = new RoomNotFound({ message: "no such room" })
const off = new ReplayOff({ message: "the room is not awake, or it records no replay" })
const noAnswer = new NotReady({ message: "the room made no clip; ask again later" })

/** What the room, or the service for it, has refused. */
const clipRefusalOf = (refused: Extract<ClipOutcome, { readonly code: string }>): ClipRefusal => {
  const message = serviceMessage(refused.message)
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

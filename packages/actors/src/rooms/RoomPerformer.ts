import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Clock, Effect } from "effect"

import { RoomSaves } from "../saves/RoomSaves.ts"
import {
  ServerActor,
  serverIdOf,
  serverKeyText,
  type StartOrder
} from "../servers/ServerProtocol.ts"
import { RoomFiles } from "./RoomFiles.ts"
import type { RoomQuestions } from "./RoomQuestions.ts"
import {
  type Incarnation,
  type RoomAction,
  RoomEvent,
  type RoomState,
  type Seat,
  typeOf
} from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

/** The answer of a chain of steps to its caller. */
export type RoomAnswer = Extract<
  RoomAction,
  { readonly _tag: "Answer" | "AnswerDeleted" | "AnswerDone" | "Refuse" }
>

type Action<Tag extends RoomAction["_tag"]> = Extract<RoomAction, { readonly _tag: Tag }>

/** The orders that are performed elsewhere than in the room's actor. */
type Performed = Exclude<RoomAction, RoomAnswer | { readonly _tag: "Doubt" }>

/**
 * Performs the orders of the room's machine with the room's server and store. A server that does not
 * answer is an answer too: what comes back is always the next event, or nothing.
 */
export const makeRoomPerformer = Effect.fnUntraced(function* (key: RoomKey, ask: RoomQuestions) {
  const rooms = yield* RoomStore
  const onServer = yield* makeServerPerformer(key, ask)
  const onStores = yield* makeStorePerformer(key, ask)
  return (action: Performed, state: RoomState): Effect.Effect<RoomEvent | null> => {
    switch (action._tag) {
      case "ClaimEpoch":
        return Effect.map(rooms.claimEpoch, (epoch) => RoomEvent.EpochClaimed({ epoch }))
      case "StartRoom":
        return onServer.start(action.at, action.fresh)
      case "RestartRoom":
        return onServer.start(action.at, false)
      case "DrainRoom":
        return onServer.drain(action)
      case "CloseRoom":
        return onServer.close(action)
      case "EvictRoom":
        return onServer.evict(action.at)
      case "PublishRoom":
        return onServer.publish(action)
      case "RemoveState":
      case "SaveSettings":
      case "PlaceSave":
        return onStores(action, state)
    }
  }
})

/** Performs the orders to the room's server. */
const makeServerPerformer = Effect.fnUntraced(function* (key: RoomKey, ask: RoomQuestions) {
  const serverOf = yield* ServerActor.client
  const server = (at: Seat) => serverOf(serverKeyText(key.projectId, at.serverIndex))
  const held = (at: Seat) => ({ roomId: key.roomId, epoch: at.epoch })

  const start = (at: Incarnation, fresh: boolean) => {
    const order: StartOrder = { ...at, roomId: key.roomId, fresh }
    return server(at)
      .StartRoom(order)
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        Effect.map(({ slot }) => RoomEvent.Started({ epoch: at.epoch, slot })),
        Effect.catchTags({
          ServerFull: () => Effect.succeed(RoomEvent.ServerFull({ epoch: at.epoch })),
          ServerWaking: ({ message }) =>
            Effect.succeed(RoomEvent.ServerWaking({ epoch: at.epoch, message })),
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

  const drain = ({ at, reason }: Action<"DrainRoom">) =>
    server(at)
      .DrainRoom({ ...held(at), reason })
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        Effect.map((drained) => RoomEvent.Drained({ epoch: at.epoch, ...drained })),
        // The server may still hold the room, so the room counts as awake; the caller may ask again.
        unanswered(RoomEvent.Drained({ epoch: at.epoch, clientsBack: true, entered: true }))
      )

  const close = ({ at, because }: Action<"CloseRoom">) =>
    server(at)
      .CloseRoom({ ...held(at), because })
      .pipe(Effect.timeout(ServiceLimits.actorCall.ms), Effect.as(null), unanswered(null))

  const evict = (at: Incarnation) => {
    const named = serverIdOf(key.projectId, at.serverIndex)
    return server(at)
      .CloseRoom({ ...held(at), because: "deleted" })
      .pipe(
        Effect.timeout(RoomLimits.evict.ms),
        Effect.as(RoomEvent.Evicted({ epoch: at.epoch })),
        unanswered(RoomEvent.EvictionFailed({ epoch: at.epoch, server: named }))
      )
  }

  const publish = ({ at, settings }: Action<"PublishRoom">) =>
    server(at)
      .PublishRoom({ ...held(at), isPublic: settings.public === true })
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        unanswered(null),
        Effect.flatMap((told) => (told === null ? ask.started : Effect.succeed(told.started))),
        Effect.map((started) => RoomEvent.Published({ settings, started }))
      )

  return { start, drain, close, evict, publish }
})

/** Performs the orders on the room's row and objects. */
const makeStorePerformer = Effect.fnUntraced(function* (key: RoomKey, ask: RoomQuestions) {
  const rooms = yield* RoomStore
  const files = yield* RoomFiles
  const saves = yield* RoomSaves
  return (
    action: Action<"RemoveState" | "SaveSettings" | "PlaceSave">,
    state: RoomState
  ): Effect.Effect<RoomEvent> => {
    switch (action._tag) {
      case "RemoveState":
        return Effect.map(files.remove(key), (objects) => RoomEvent.StateRemoved({ objects }))
      case "SaveSettings":
        return Effect.gen(function* () {
          const facts = yield* ask.factsOf(typeOf(state))
          yield* rooms.saveSettings(key, action.settings, { state, facts })
          return RoomEvent.SettingsSaved()
        })
      case "PlaceSave":
        // The row holds this very epoch, and no other actor moves it.
        return Effect.map(Effect.orDie(saves.place(key, action)), (found) =>
          RoomEvent.SavePlaced({ found })
        )
    }
  }
})

const unanswered =
  <B>(event: B) =>
  <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.catchCause(call, (cause) =>
      Effect.as(Effect.logWarning("the room's server did not answer", cause), event)
    )

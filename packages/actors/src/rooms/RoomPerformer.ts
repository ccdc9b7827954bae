import type { ServerTerms } from "@atrium/domain/projects/ServerSettings"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Clock, Effect } from "effect"
import { Sharding } from "effect/cluster"

import { RoomLives } from "../life/RoomLives.ts"
import { RoomSaves } from "../saves/RoomSaves.ts"
import { RunnerFills } from "../servers/ServerFills.ts"
import { homeOf } from "../servers/ServerIndex.ts"
import {
  ServerActor,
  serverIdOf,
  serverKeyText,
  type StartOrder
} from "../servers/ServerProtocol.ts"
import { ThisHome, unlessOver } from "../servers/ThisHome.ts"
import type { RoomDrained } from "./AwakeRoom.ts"
import { RoomFiles } from "./RoomFiles.ts"
import type { RoomQuestions } from "./RoomQuestions.ts"
import {
  type Incarnation,
  quarantineOf,
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
  const places = yield* makePlaces(key)
  const onServer = yield* makeServerPerformer(key, ask, places)
  const onStores = yield* makeStorePerformer(key, ask)
  const epochNow = Effect.suspend(() => {
    const claimed = ask.takeEpoch()
    return claimed === null ? rooms.claimEpoch : Effect.succeed(claimed)
  })
  return (action: Performed, state: RoomState): Effect.Effect<RoomEvent | null> => {
    switch (action._tag) {
      case "ClaimEpoch":
        return Effect.map(rooms.claimEpoch, (epoch) => RoomEvent.EpochClaimed({ epoch }))
      case "ClaimPlace":
        return Effect.zipWith(epochNow, places.first(action.class), placed, together)
      case "StartRoom":
        return onServer.start(action.at, {
          fresh: action.fresh,
          blank: ask.takeBlank() && action.fresh,
          terms: ask.terms()
        })
      case "RestartRoom":
        return onServer.start(action.at, { fresh: false, blank: false, terms: null })
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

const together = { concurrent: true } as const

/** Without any room the last server says so, in its own words. */
const lastServer = ServerLimits.serversPerProject.max - 1

const placed = (epoch: number, serverIndex: number | null): RoomEvent =>
  RoomEvent.Placed({ epoch, serverIndex: serverIndex ?? lastServer })

/** The place that a room was promised next, under the next epoch. */
const again = (epoch: number, full: RoomEvent): RoomEvent =>
  full._tag === "ServerFull" && full.next !== null
    ? RoomEvent.Placed({ epoch, serverIndex: full.next })
    : full

/** The servers that a room on its way has asked for a place, and the next one to ask. */
const makePlaces = Effect.fnUntraced(function* (key: RoomKey) {
  const rooms = yield* RoomStore
  const fills = yield* RunnerFills
  const here = yield* ThisHome
  const without = new Set<number>()
  const leaving = new Set<number>()
  const promise = (asked: RoomClass): Effect.Effect<number | null> =>
    here === null
      ? Effect.sync(() => fills.promise({ ...key, cost: RoomClasses[asked].cost, without }))
      : here.place({ key, class: asked, without, leaving })
  const next = (at: Incarnation) =>
    Effect.suspend(() => {
      without.add(at.serverIndex)
      return Effect.map(promise(at.class), (index) =>
        RoomEvent.ServerFull({ epoch: at.epoch, next: index })
      )
    })
  return {
    first: (asked: RoomClass) =>
      Effect.suspend(() => {
        without.clear()
        leaving.clear()
        return promise(asked)
      }),
    next,
    /** A runner among others has no server without a home: there is no place for the room. */
    isNowhere: (at: Incarnation) => here !== null && at.serverIndex === lastServer,
    /**
     * Another server, on another runner: that of the server ends, and may have begun the start. So the start
     * elsewhere has an epoch of its own. A runner that is alone has no other one.
     */
    elsewhere: (at: Incarnation): Effect.Effect<RoomEvent> => {
      if (here === null) return Effect.succeed(RoomEvent.ServerRefused({ epoch: at.epoch }))
      leaving.add(homeOf(at.serverIndex))
      return Effect.zipWith(rooms.claimEpoch, next(at), again, together)
    }
  }
})

type Places = Effect.Success<ReturnType<typeof makePlaces>>

/** Whether a call of the room was running when the room was drained last; the next start takes the answer. */
interface CallBefore {
  running: boolean
}

interface Starting {
  readonly fresh: boolean
  /** Nothing is stored of it, and no start of it was asked for before. */
  readonly blank: boolean
  /** Those that the wake has read; `null` = the server reads them. */
  readonly terms: ServerTerms | null
}

/** Starts the room on the server that it was promised a place on. */
const makeServerStart = Effect.fnUntraced(function* (
  key: RoomKey,
  places: Places,
  callBefore: CallBefore
) {
  const serverOf = yield* ServerActor.client
  const unanswered = yield* makeUnanswered
  return (at: Incarnation, { fresh, blank, terms }: Starting): Effect.Effect<RoomEvent> => {
    const order: StartOrder = {
      ...at,
      roomId: key.roomId,
      fresh,
      ...(terms !== null && { terms }),
      ...(callBefore.running && { called: true }),
      ...(blank && { blank })
    }
    const refused = RoomEvent.ServerRefused({ epoch: at.epoch })
    if (places.isNowhere(at))
      return Effect.succeed(RoomEvent.ServerFull({ epoch: at.epoch, next: null }))
    return serverOf(serverKeyText(key.projectId, at.serverIndex))
      .StartRoom(order)
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        Effect.map(({ slot }): RoomEvent => {
          callBefore.running = false
          return RoomEvent.Started({ epoch: at.epoch, slot })
        }),
        Effect.catchTags({
          ServerFull: () => places.next(at),
          ServerWaking: ({ message }) =>
            Effect.succeed(RoomEvent.ServerWaking({ epoch: at.epoch, message })),
          ServerClosing: () => places.elsewhere(at),
          // It is no fault of the room: it must not count as a death of its process.
          StoreAway: () => Effect.succeed(refused),
          StartFailed: (failed) =>
            Effect.map(Clock.currentTimeMillis, (nowMs) => {
              const { message } = failed
              const mark = quarantineOf(failed)
              return RoomEvent.StartFailed({ epoch: at.epoch, nowMs, message, ...mark })
            })
        }),
        unlessOver(
          at.serverIndex,
          Effect.suspend(() => places.elsewhere(at))
        ),
        unanswered(refused)
      )
  }
})

/** Performs the orders to the room's server. */
const makeServerPerformer = Effect.fnUntraced(function* (
  key: RoomKey,
  ask: RoomQuestions,
  places: Places
) {
  const serverOf = yield* ServerActor.client
  const unanswered = yield* makeUnanswered
  const server = (at: Seat) => serverOf(serverKeyText(key.projectId, at.serverIndex))
  const callBefore: CallBefore = { running: false }
  const held = (at: Seat) => ({ roomId: key.roomId, epoch: at.epoch })

  const drain = ({ at, reason }: Action<"DrainRoom">) =>
    server(at)
      .DrainRoom({ ...held(at), reason })
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        unlessOver(
          at.serverIndex,
          Effect.succeed({ clientsBack: false, entered: reason !== "unentered" })
        ),
        Effect.map(({ called, ...drained }: RoomDrained) => {
          callBefore.running = called === true
          return RoomEvent.Drained({ epoch: at.epoch, ...drained })
        }),
        // The server may still hold the room, so the room counts as awake; the caller may ask again.
        unanswered(RoomEvent.Drained({ epoch: at.epoch, clientsBack: true, entered: true }))
      )

  const close = ({ at, because }: Action<"CloseRoom">) =>
    server(at)
      .CloseRoom({ ...held(at), because })
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        unlessOver(at.serverIndex, Effect.void),
        Effect.as(null),
        unanswered(null)
      )

  const evict = (at: Incarnation) => {
    const named = serverIdOf(key.projectId, at.serverIndex)
    return server(at)
      .CloseRoom({ ...held(at), because: "deleted" })
      .pipe(
        Effect.timeout(RoomLimits.evict.ms),
        unlessOver(at.serverIndex, Effect.void),
        Effect.as(RoomEvent.Evicted({ epoch: at.epoch })),
        unanswered(RoomEvent.EvictionFailed({ epoch: at.epoch, server: named }))
      )
  }

  const publish = ({ at, settings }: Action<"PublishRoom">) =>
    server(at)
      .PublishRoom({ ...held(at), isPublic: settings.public === true })
      .pipe(
        Effect.timeout(ServiceLimits.actorCall.ms),
        unlessOver(at.serverIndex, Effect.succeed(null)),
        unanswered(null),
        Effect.flatMap((told) => (told === null ? ask.started : Effect.succeed(told.started))),
        Effect.map((started) => RoomEvent.Published({ settings, started }))
      )

  return { start: yield* makeServerStart(key, places, callBefore), drain, close, evict, publish }
})

/** Performs the orders on the room's row and objects. */
const makeStorePerformer = Effect.fnUntraced(function* (key: RoomKey, ask: RoomQuestions) {
  const rooms = yield* RoomStore
  const files = yield* RoomFiles
  const saves = yield* RoomSaves
  const lives = yield* RoomLives
  return (
    action: Action<"RemoveState" | "SaveSettings" | "PlaceSave">,
    state: RoomState
  ): Effect.Effect<RoomEvent> => {
    switch (action._tag) {
      case "RemoveState":
        return Effect.andThen(
          lives.forget(key),
          Effect.map(files.remove(key), (objects) => RoomEvent.StateRemoved({ objects }))
        )
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

/** What a call to the room's server comes to when no answer comes. */
const makeUnanswered = Effect.map(
  Sharding.Sharding,
  ({ isShutdown }) =>
    <B>(event: B) =>
    <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.catchCause(call, (cause) =>
        Effect.flatMap(isShutdown, (ends) =>
          // This runner ends and reaches no server any more: the room's actor on another runner decides.
          ends
            ? Effect.never
            : Effect.as(Effect.logWarning("the room's server did not answer", cause), event)
        )
      )
)

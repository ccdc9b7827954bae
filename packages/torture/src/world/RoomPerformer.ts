import {
  type Incarnation,
  type RoomAction,
  RoomEvent,
  type RoomState
} from "@atrium/actors/rooms/RoomState"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"

import type { Call } from "./Cluster.ts"
import type { RoomActor, RoomAnswer } from "./RoomActor.ts"
import type { ServerActor } from "./ServerActor.ts"
import { Failure, type Work } from "./Work.ts"

type Performed = Exclude<RoomAction, RoomAnswer | { readonly _tag: "Doubt" }>
type Action<Tag extends RoomAction["_tag"]> = Extract<RoomAction, { readonly _tag: Tag }>

/** What the room's machine orders. See RoomPerformer.ts of actors. */
export function* performRoom(
  actor: RoomActor,
  action: Performed,
  state: RoomState
): Work<RoomEvent | null> {
  const { world, key } = actor
  const { store } = world
  switch (action._tag) {
    case "ClaimEpoch":
      return RoomEvent.EpochClaimed({ epoch: yield* store.claimEpoch() })
    case "StartRoom":
    case "RestartRoom":
      return yield* start(actor, action.at)
    case "DrainRoom":
      return yield* drain(actor, action)
    case "CloseRoom":
      return yield* close(actor, action)
    case "EvictRoom":
      return yield* evict(actor, action.at)
    case "PublishRoom":
      return yield* publish(actor, action)
    case "RemoveState":
      return RoomEvent.StateRemoved({ objects: yield* store.remove(key) })
    case "SaveSettings":
      yield* store.saveSettings(key, action.settings, state)
      return RoomEvent.SettingsSaved()
    case "PlaceSave":
      return RoomEvent.SavePlaced({
        found: yield* store.placeSave(key, action.save, action.epoch)
      })
  }
}

/** A server that does not answer is an answer, too. */
function* answeredOr<B>(answering: Work<B>, otherwise: B): Work<B> {
  try {
    return yield* answering
  } catch (error) {
    if (error instanceof Failure) return otherwise
    throw error
  }
}

function* start(actor: RoomActor, at: Incarnation): Work<RoomEvent> {
  const { epoch } = at
  const { timeline, cluster } = actor.world
  try {
    const slot = yield* cluster.onServer(actor, at, (server, call) =>
      server.start(call, { ...at, roomId: actor.key })
    )
    return RoomEvent.Started({ epoch, slot })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.tag === "ServerFull") return RoomEvent.ServerFull({ epoch })
    if (error.tag === "ServerWaking") {
      return RoomEvent.ServerWaking({ epoch, message: error.message })
    }
    if (error.tag !== "StartFailed") return RoomEvent.ServerRefused({ epoch })
    return RoomEvent.StartFailed({ epoch, nowMs: timeline.nowMs, message: error.message })
  }
}

function* drain(actor: RoomActor, { at, reason }: Action<"DrainRoom">): Work<RoomEvent> {
  const asking = actor.world.cluster.onServer(actor, at, (server: ServerActor, call: Call) =>
    server.drain(call, { key: actor.key, epoch: at.epoch, reason })
  )
  const clientsBack = yield* answeredOr(asking, true)
  return RoomEvent.Drained({ epoch: at.epoch, clientsBack, entered: true })
}

function* close(actor: RoomActor, { at, because }: Action<"CloseRoom">): Work<null> {
  const asking = actor.world.cluster.onServer(actor, at, (server, call) =>
    server.close(call, { key: actor.key, epoch: at.epoch, because })
  )
  yield* answeredOr<unknown>(asking, null)
  return null
}

function* evict(actor: RoomActor, at: Incarnation): Work<RoomEvent> {
  const { epoch } = at
  const asking = actor.world.cluster.onServer(
    actor,
    { ...at, timeoutMs: RoomLimits.evict.ms },
    (server, call) => server.close(call, { key: actor.key, epoch, because: "deleted" })
  )
  const evicted = yield* answeredOr<boolean>(asking, false)
  if (evicted) return RoomEvent.Evicted({ epoch })
  return RoomEvent.EvictionFailed({ epoch, server: `srv_${at.serverIndex}` })
}

function* publish(actor: RoomActor, { at, settings }: Action<"PublishRoom">): Work<RoomEvent> {
  const asking = actor.world.cluster.onServer(actor, at, (server, call) =>
    server.publish(call, {
      key: actor.key,
      epoch: at.epoch,
      isPublic: settings.public === true
    })
  )
  const told = yield* answeredOr<boolean | null>(asking, null)
  if (told !== null) return RoomEvent.Published({ settings, started: told })
  const row = yield* actor.world.store.load(actor.key)
  return RoomEvent.Published({ settings, started: row?.started === true })
}

import type { ServerTerms } from "@atrium/domain/projects/ServerSettings"
import { type ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { Effect, Exit, Fiber, Scope } from "effect"
import { Entity, type Sharding } from "effect/cluster"

import { Machines } from "../cluster/Machines.ts"
import { LeaseOfShard } from "../cluster/ShardLeases.ts"
import { makeStayLoaded } from "../cluster/StayLoaded.ts"
import { ThisIntake } from "../fleet/FleetIntake.ts"
import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import type { LeaveReason } from "../rooms/RoomState.ts"
import { RoomStarts } from "./RoomStarts.ts"
import { makeServerBoot, makeServerTerms } from "./ServerBoot.ts"
import { RunnerFills } from "./ServerFills.ts"
import { nthOf } from "./ServerIndex.ts"
import { emptyServer, type Place, type ServerAction, ServerEvent } from "./ServerMachine.ts"
import {
  ServerClosing,
  ServerFull,
  serverKeyText,
  ServerWaking,
  type StartOrder,
  type StartRefused
} from "./ServerProtocol.ts"
import { makeServerRelief } from "./ServerRelief.ts"

/** A room that is started again keeps its place, whatever the plan is by now. */
const keptPlace: ServerTerms = { plan: "card", roomsMib: 0 }

interface Held {
  readonly room: AwakeRoom
  readonly scope: Scope.Closeable
}

interface ClosedRoom {
  readonly roomId: string
  readonly epoch: number
  readonly because: Parameters<AwakeRoom["fail"]>[0]
}

/** The rooms that one server holds: the machine says which may come in, this keeps them. */
export const makeServerRooms = Effect.fnUntraced(function* (projectId: ProjectId, index: number) {
  const awake = yield* AwakeRooms
  const lease = (yield* LeaseOfShard)(String((yield* Entity.CurrentAddress).shardId))
  const { decide, state } = yield* makeDeciding({ projectId, index })
  const [nth, intake] = [nthOf(index), yield* ThisIntake]
  const boot = yield* makeServerBoot(projectId, index)
  const termsNow = yield* makeServerTerms(projectId)
  const held = new Map<string, Held>()
  const starts = new RoomStarts<{ readonly slot: number }, StartRefused>({
    unwanted: new ServerClosing(),
    holds: (roomId) => held.has(roomId)
  })
  const rooms = () => [...held.values()].map(({ room }) => room)
  const scope = yield* makeRoomsScope(rooms)
  /** The start of the server that holds rooms now, or did last. */
  let booted = boot()

  yield* makeServerRelief({ projectId, index, decide, rooms, state })

  const stayWhileHolding = yield* makeStayWhile(() => held.size > 0)

  const release = Effect.fnUntraced(function* (roomId: string, room = held.get(roomId)?.room) {
    const gone = held.get(roomId)
    if (gone === undefined || gone.room !== room) return
    held.delete(roomId)
    decide(ServerEvent.RoomGone({ roomId, epoch: gone.room.epoch() }))
    yield* Scope.close(gone.scope, Exit.void)
    yield* stayWhileHolding
  })

  const admit = Effect.fnUntraced(function* (order: StartOrder) {
    const { roomId } = order
    const known = held.get(roomId)?.room
    // A restart that fails keeps its place and its clients: the room's actor decides.
    if (known !== undefined) return yield* known.start(order)
    const roomScope = yield* Scope.fork(scope)
    const key = { projectId, roomId: RoomId.make(roomId) }
    const room = yield* Scope.provide(awake.make(key, lease), roomScope)
    held.set(roomId, { room, scope: roomScope })
    yield* releaseEnded({ room, release: release(roomId, room), roomScope, scope })
    yield* stayWhileHolding
    yield* Effect.onError(room.start(order), () => release(roomId))
  })

  const startOnce = Effect.fnUntraced(function* (order: StartOrder) {
    const { roomId, epoch } = order
    if (awake.closing()) decide(ServerEvent.ShutdownAsked())
    const terms = state().places.some((place) => place.roomId === roomId)
      ? keptPlace
      : (order.terms ?? (yield* termsNow()))
    const admission = { roomId, epoch, nth, class: order.class, terms, intake: intake.current }
    const actions = decide(ServerEvent.AdmitAsked(admission))
    // In the same moment, so that every later room waits for this start.
    if (actions[0]?._tag === "Boot") booted = boot()
    const place = yield* placeOrRefusal(actions.at(-1))
    yield* Effect.andThen(booted, starts.wanted(order)).pipe(
      Effect.onError(() => Effect.sync(() => decide(ServerEvent.RoomGone({ roomId, epoch }))))
    )
    yield* admit(order)
    return { slot: place.slot }
  })

  const start = (order: StartOrder) => starts.once(order, startOnce(order))

  const drain = Effect.fnUntraced(function* (room: AwakeRoom, reason: LeaveReason) {
    const drained = yield* room.drain(reason)
    if (!drained.clientsBack) yield* release(room.key.roomId)
    return drained
  })

  /** The room, if it is held under this epoch. */
  const find = (roomId: string, epoch: number): AwakeRoom | undefined => {
    const room = held.get(roomId)?.room
    return room?.epoch() === epoch ? room : undefined
  }

  /**
   * The room's actor has given the incarnation up, and does not store its state. The clients of an earlier one wait
   * for it if this server refused its start.
   */
  const close = Effect.fnUntraced(function* ({ roomId, epoch, because }: ClosedRoom) {
    starts.giveUp({ roomId, epoch })
    const room = held.get(roomId)?.room
    if (room && room.epoch() <= epoch) yield* Effect.andThen(room.fail(because), release(roomId))
  })

  return { start, drain, close, find }
})

interface Ending {
  readonly room: AwakeRoom
  readonly release: Effect.Effect<void>
  readonly roomScope: Scope.Scope
  /** The scope of all rooms of the server. */
  readonly scope: Scope.Scope
}

/** A room that ends without an order leaves its server; its own scope ends with that. */
const releaseEnded = ({ room, release, roomScope, scope }: Ending) =>
  Effect.forkIn(Effect.andThen(room.endedAlone, Effect.forkIn(release, scope)), roomScope)

/** The actor's state is the processes that it holds: it must not be forgotten while there are any. */
const makeStayWhile = Effect.fnUntraced(function* (holds: () => boolean) {
  const services = yield* Effect.context<Entity.CurrentAddress | Sharding.Sharding>()
  const stayLoaded = makeStayLoaded()
  return Effect.suspend(() => stayLoaded(holds())).pipe(Effect.provideContext(services))
})

/** The server's machine, and the state that it is in, which it reports to the rooms of its runner. */
const makeDeciding = Effect.fnUntraced(function* (server: {
  readonly projectId: ProjectId
  readonly index: number
}) {
  const step = (yield* Machines).server(serverKeyText(server.projectId, server.index))
  const fills = yield* RunnerFills
  let state = emptyServer
  let over = false
  const decide = (event: ServerEvent): ReadonlyArray<ServerAction> => {
    const [next, actions] = step(state, event)
    if (next.places !== state.places && !over) fills.reported(server, next.places)
    state = next
    return actions
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      over = true
      fills.reported(server, [])
    })
  )
  return { decide, state: () => state }
})

/**
 * A scope for rooms that ends with its server, but not within it: a server that leaves this runner
 * finds its rooms alive, so that they can be stored and their clients told.
 */
const makeRoomsScope = Effect.fnUntraced(function* (rooms: () => ReadonlyArray<AwakeRoom>) {
  const scope = yield* Scope.make()
  const lost = Effect.suspend(() =>
    Effect.forEach(rooms(), (room) => room.lost, { concurrency: "unbounded", discard: true })
  )
  yield* Effect.addFinalizer(() =>
    // On a fiber of its own, as the one that ends a server cannot be interrupted by a deadline.
    Effect.forkDetach(lost).pipe(
      Effect.flatMap(Fiber.await),
      Effect.andThen(Scope.close(scope, Exit.void))
    )
  )
  return scope
})

/** The machine's last word to a room that wants in. */
const placeOrRefusal = (
  action: ServerAction | undefined
): Effect.Effect<Place, ServerFull | ServerWaking | ServerClosing> => {
  switch (action?._tag) {
    case "Admit":
      return Effect.succeed(action.place)
    case "RefuseFull":
      return Effect.fail(new ServerFull())
    case "RefuseFree":
      return Effect.fail(new ServerWaking({ message: "the free plan's server is full" }))
    case "RefuseNear":
      return Effect.fail(new ServerWaking({ message: "the server is near its memory limit" }))
    case "RefuseCordoned":
      return Effect.fail(new ServerWaking({ message: "the runner is cordoned" }))
    case "RefuseClosing":
      return Effect.fail(new ServerClosing())
    case "Boot":
    case "SleepRoom":
    case "RestartRoom":
    case "ResizeRing":
    case undefined:
      return Effect.die(new Error("the server machine gave no answer"))
  }
}

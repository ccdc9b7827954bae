import { type ProjectId, RoomId } from "@atrium/domain/Ids"
import { Effect, Exit, Scope } from "effect"
import type { Entity, Sharding } from "effect/cluster"

import type { AwakeRoom } from "../room/AwakeRoom.ts"
import { AwakeRooms } from "../room/AwakeRooms.ts"
import type { DrainReason } from "../room/RoomState.ts"
import { makeServerBoot } from "./ServerBoot.ts"
import { emptyServer, type ServerAction, ServerEvent, step } from "./ServerMachine.ts"
import { ServerClosing, ServerFull, type StartOrder } from "./ServerProtocol.ts"
import { makeStayLoaded } from "./StayLoaded.ts"

interface Held {
  readonly room: AwakeRoom
  readonly scope: Scope.Closeable
}

/** The rooms that one server holds: the machine says which may come in, this keeps them. */
export const makeServerRooms = Effect.fnUntraced(function* (projectId: ProjectId, index: number) {
  const awake = yield* AwakeRooms
  const boot = yield* makeServerBoot(projectId, index)
  const scope = yield* Effect.scope
  const services = yield* Effect.context<Entity.CurrentAddress | Sharding.Sharding>()
  const held = new Map<string, Held>()
  let state = emptyServer
  /** The start of the server that holds rooms now, or did last. */
  let booted = boot()

  const decide = (event: ServerEvent): ReadonlyArray<ServerAction> => {
    const [next, actions] = step(state, event)
    state = next
    return actions
  }

  // The actor's state is the processes that it holds: it must not be forgotten while there are any.
  const stayLoaded = makeStayLoaded()
  const stayWhileHolding = Effect.suspend(() => stayLoaded(held.size > 0)).pipe(
    Effect.provideContext(services)
  )

  const release = Effect.fnUntraced(function* (roomId: string) {
    const gone = held.get(roomId)
    if (gone === undefined) return
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
    const room = yield* Scope.provide(awake.make(key), roomScope)
    held.set(roomId, { room, scope: roomScope })
    yield* stayWhileHolding
    yield* Effect.onError(room.start(order), () => release(roomId))
  })

  const start = Effect.fnUntraced(function* (order: StartOrder) {
    const { roomId, epoch } = order
    if (awake.closing()) decide(ServerEvent.ShutdownAsked())
    const actions = decide(ServerEvent.AdmitAsked({ roomId, epoch, class: order.class }))
    // In the same moment: whoever comes from now on waits for this start.
    if (actions[0]?._tag === "Boot") booted = boot()
    const action = actions.at(-1)
    switch (action?._tag) {
      case "Admit":
        yield* Effect.onError(booted, () =>
          Effect.sync(() => decide(ServerEvent.RoomGone({ roomId, epoch })))
        )
        yield* admit(order)
        return { slot: action.place.slot }
      case "RefuseFull":
        return yield* new ServerFull()
      case "RefuseClosing":
        return yield* new ServerClosing()
      case "Boot":
      case undefined:
        return yield* Effect.die(new Error("the server machine gave no answer"))
    }
  })

  const drain = Effect.fnUntraced(function* (room: AwakeRoom, reason: DrainReason) {
    const drained = yield* room.drain(reason)
    if (!drained.clientsBack) yield* release(room.key.roomId)
    return drained
  })

  /** The room, if it is held under this epoch. */
  const find = (roomId: string, epoch: number): AwakeRoom | undefined => {
    const room = held.get(roomId)?.room
    return room?.epoch() === epoch ? room : undefined
  }

  return { start, drain, release, find }
})

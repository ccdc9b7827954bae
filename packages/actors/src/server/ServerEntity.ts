import { isProjectId, RoomId } from "@atrium/domain/Ids"
import { Effect, Exit, Fiber, Scope } from "effect"
import { Entity, type Sharding } from "effect/cluster"
import type { AwakeRoom } from "../room/AwakeRoom.ts"
import { AwakeRooms } from "../room/AwakeRooms.ts"
import type { DrainReason } from "../room/RoomMachine.ts"
import { emptyServer, type ServerAction, ServerEvent, step } from "./ServerMachine.ts"
import { ServerActor, ServerClosing, ServerFull, type StartOrder } from "./ServerProtocol.ts"

interface Held {
  readonly room: AwakeRoom
  readonly scope: Scope.Closeable
}

/**
 * The server's shell: it asks the machine for a place and holds the rooms that got one. Calls run
 * side by side, as a start takes its time; each step of the machine is one synchronous moment.
 */
export const ServerEntity = ServerActor.toLayer(
  Effect.gen(function* () {
    const address = yield* Entity.CurrentAddress
    const projectId = address.entityId.slice(0, address.entityId.indexOf("/"))
    if (!isProjectId(projectId)) return yield* Effect.die(new Error(`no server: ${address.entityId}`))
    const awake = yield* AwakeRooms
    const scope = yield* Effect.scope
    const held = new Map<string, Held>()
    const services = yield* Effect.context<Entity.CurrentAddress | Sharding.Sharding>()
    // Its state is the processes that it holds: it must not be forgotten while there are any.
    const stayWhileHolding = Effect.suspend(() => Entity.keepAlive(held.size > 0)).pipe(
      Effect.provideContext(services)
    )
    let state = emptyServer

    const decide = (event: ServerEvent): ReadonlyArray<ServerAction> => {
      const [next, actions] = step(state, event)
      state = next
      return actions
    }

    const release = Effect.fnUntraced(function* (roomId: string) {
      const gone = held.get(roomId)
      if (gone === undefined) return
      held.delete(roomId)
      decide(ServerEvent.RoomGone({ roomId, epoch: gone.room.epoch() }))
      yield* Scope.close(gone.scope, Exit.void)
      yield* stayWhileHolding
    })

    const roomFor = Effect.fnUntraced(function* (roomId: string) {
      const roomScope = yield* Scope.fork(scope)
      const key = { projectId, roomId: RoomId.make(roomId) }
      const room = yield* Scope.provide(awake.make(key), roomScope)
      held.set(roomId, { room, scope: roomScope })
      yield* stayWhileHolding
      return room
    })

    const startRoom = Effect.fnUntraced(function* (order: StartOrder) {
      const { roomId, epoch } = order
      for (const action of decide(ServerEvent.AdmitAsked({ roomId, epoch, class: order.class }))) {
        switch (action._tag) {
          case "Admit": {
            const known = held.get(roomId)?.room
            // A restart that fails keeps its place and its clients: the room's actor decides.
            if (known !== undefined) yield* known.start(order)
            else {
              const room = yield* roomFor(roomId)
              yield* room.start(order).pipe(Effect.onError(() => release(roomId)))
            }
            return { slot: action.place.slot }
          }
          case "RefuseFull":
            return yield* new ServerFull()
          case "RefuseClosing":
            return yield* new ServerClosing()
        }
      }
      return yield* Effect.die(new Error("the server machine gave no answer"))
    })

    // A caller that gives up must not leave a process half started: the work goes on without it.
    const unbroken = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.forkIn(work, scope), Fiber.join)

    const drainRoom = Effect.fnUntraced(function* (room: AwakeRoom, reason: DrainReason) {
      const drained = yield* room.drain(reason)
      if (!drained.clientsBack) yield* release(room.key.roomId)
      return drained
    })

    const holding = (roomId: string, epoch: number): AwakeRoom | undefined => {
      const room = held.get(roomId)?.room
      return room?.epoch() === epoch ? room : undefined
    }

    return ServerActor.of({
      StartRoom: ({ payload }) => unbroken(startRoom(payload)),
      DrainRoom: Effect.fnUntraced(function* ({ payload: { roomId, epoch, reason } }) {
        const room = holding(roomId, epoch)
        return room === undefined
          ? { clientsBack: false }
          : yield* unbroken(drainRoom(room, reason))
      }),
      CloseRoom: Effect.fnUntraced(function* ({ payload: { roomId, epoch, because } }) {
        const room = holding(roomId, epoch)
        if (room === undefined) return
        yield* room.fail(because)
        yield* release(roomId)
      }),
      Holds: ({ payload: { roomId, epoch } }) =>
        Effect.sync(() => holding(roomId, epoch) !== undefined)
    })
  }),
  { concurrency: "unbounded", mailboxCapacity: 4096, maxIdleTime: "5 minutes" }
)

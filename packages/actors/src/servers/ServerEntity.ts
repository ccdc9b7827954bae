import { isProjectId } from "@atrium/domain/shared/Ids"
import { Effect, Exit, Fiber, Scope } from "effect"
import { Entity } from "effect/cluster"

import { ServerReach } from "../cluster/ServerReach.ts"
import { LinkListener } from "../link/LinkListener.ts"
import { keepSeats } from "../rooms/KeepSeats.ts"
import { indexOf, ServerActor, serverIdOf } from "./ServerProtocol.ts"
import { makeServerRooms } from "./ServerRooms.ts"

/**
 * The server's shell. Calls run side by side, as a start takes its time; each step of the machine is
 * one synchronous moment.
 */
export const ServerEntity = ServerActor.toLayer(
  Effect.gen(function* () {
    const { entityId } = yield* Entity.CurrentAddress
    const projectId = entityId.slice(0, entityId.indexOf("/"))
    if (!isProjectId(projectId)) return yield* Effect.die(new Error(`no server: ${entityId}`))
    const index = indexOf(entityId)
    // Made first, so that it ends last: work under way does not delay rooms that the server loses.
    const scope = yield* Effect.acquireRelease(Scope.make(), (work) => Scope.close(work, Exit.void))
    const rooms = yield* makeServerRooms(projectId, index)
    const { address } = yield* LinkListener
    const reached = (yield* ServerReach)(serverIdOf(projectId, index))

    // A caller that gives up must not leave a process half started: the work goes on without it.
    const unbroken = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.forkIn(work, scope), Fiber.join)

    return ServerActor.of({
      StartRoom: ({ payload }) => Effect.andThen(reached, unbroken(rooms.start(payload))),
      DrainRoom: Effect.fnUntraced(function* ({ payload: { roomId, epoch, reason } }) {
        yield* reached
        const room = rooms.find(roomId, epoch)
        return room === undefined
          ? { clientsBack: false, entered: reason !== "unentered" }
          : yield* unbroken(rooms.drain(room, reason))
      }),
      CloseRoom: ({ payload }) => Effect.andThen(reached, unbroken(rooms.close(payload))),
      PublishRoom: ({ payload: { roomId, epoch, isPublic } }) =>
        Effect.map(reached, () => rooms.find(roomId, epoch)?.publish(isPublic) ?? null),
      Holds: ({ payload: { roomId, epoch } }) =>
        Effect.map(reached, () => rooms.find(roomId, epoch) !== undefined),
      KeepSeats: Effect.fnUntraced(function* ({ payload: { roomId, epoch, seatsMax, ...wanted } }) {
        yield* reached
        const room = rooms.find(roomId, epoch)
        if (room === undefined) return false
        return yield* Scope.provide(keepSeats(room.gate.keptSeats, wanted, seatsMax), scope)
      }),
      MakeClip: Effect.fnUntraced(function* ({ payload: { roomId, epoch, ...options } }) {
        yield* reached
        const replays = rooms.find(roomId, epoch)?.incarnation()?.replays?.replays
        return replays === undefined ? null : yield* replays.makeClip(options)
      }),
      LinkAddress: () => Effect.succeed(address)
    })
  }),
  { concurrency: "unbounded", mailboxCapacity: 4096, maxIdleTime: "5 minutes" }
)

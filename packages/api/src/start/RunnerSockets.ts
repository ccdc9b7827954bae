import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Deferred, Effect, Layer, Option } from "effect"
import { Socket, SocketServer } from "effect/socket"

/**
 * Connections of other runners to this one, whose writes end with the connection. A connection of Effect's socket
 * server waits for a next one when something is written to it after its end. There is none on the side that was
 * called, and the write cannot be interrupted: the answer to a runner that has gone would hold up the end of this one.
 * Source: C-471.
 */
export const endingWrites = Layer.effect(
  SocketServer.SocketServer,
  Effect.map(SocketServer.SocketServer, (server): SocketServer.SocketServer["Service"] => ({
    ...server,
    run: (handler) => server.run((socket) => Effect.flatMap(withEnd(socket), handler))
  }))
)

const withEnd = Effect.fnUntraced(function* (socket: Socket.Socket) {
  const ended = yield* Deferred.make<never, Socket.SocketError>()
  const end = (): void => void Deferred.doneUnsafe(ended, gone)
  // The server gives it to every handler; its type does not say so.
  const stream = Option.getOrThrow(yield* Effect.serviceOption(NodeSocket.NetSocket))
  if (stream.closed) end()
  else stream.once("close", end)
  const unlessEnded = <A>(write: Effect.Effect<A, Socket.SocketError>) =>
    Effect.raceFirst(write, Deferred.await(ended))
  return Socket.make({
    reader: Effect.tap(socket.reader, () => Effect.addFinalizer(() => Effect.sync(end))),
    writer: Effect.map(socket.writer, ({ write, writeAll }) => ({
      write: (chunk) => unlessEnded(write(chunk)),
      writeAll: (chunks) => unlessEnded(writeAll(chunks))
    }))
  })
})

const gone = Effect.fail(
  new Socket.SocketError({
    reason: new Socket.SocketWriteError({ cause: new Error("the connection has ended") })
  })
)

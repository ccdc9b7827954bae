import { connect } from "node:net"

import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Deferred, Effect, Fiber, Layer, Option, Result, type Scope } from "effect"
import { type Socket, SocketServer } from "effect/socket"
import { expect, it } from "vitest"

import { endingWrites } from "./RunnerSockets.ts"

const listening = endingWrites.pipe(
  Layer.provide(NodeSocketServer.layer({ host: "127.0.0.1", port: 0 }))
)

/** Longer than a write takes that fails. */
const patience = "5 seconds"

type Opened = Effect.Effect<Socket.Writer, Socket.SocketError, Scope.Scope>

/**
 * Writes, as the cluster does it, to a connection whose peer has gone.
 *
 * @param open what the side that was called does with the connection before
 * @returns the fault; `null` = the write still waits
 */
const writeAfter = (open: (socket: Socket.Socket) => Opened) =>
  Effect.gen(function* () {
    const server = yield* SocketServer.SocketServer
    const { address } = server
    if (!("port" in address)) return yield* Effect.die(new Error("no port"))
    const opened = yield* Deferred.make<Socket.Writer, Socket.SocketError>()
    yield* Effect.forkScoped(
      server.run((socket) =>
        Effect.scoped(Effect.andThen(Deferred.into(open(socket), opened), Effect.never))
      )
    )
    const peer = connect(address.port, "127.0.0.1")
    peer.once("connect", () => peer.resetAndDestroy())
    const writer = yield* Deferred.await(opened)
    const writing = yield* Effect.forkDetach(
      Effect.uninterruptible(Effect.result(writer.write(Uint8Array.of(1, 2, 3))))
    )
    const written = yield* Effect.timeoutOption(Fiber.join(writing), patience)
    return Option.match(written, {
      onNone: () => null,
      onSome: Result.match({ onSuccess: () => "written", onFailure: ({ reason }) => reason._tag })
    })
  }).pipe(Effect.provide(listening), Effect.scoped)

/** Until this side has noticed that the peer has gone. */
const closed = Effect.gen(function* () {
  const stream = Option.getOrThrow(yield* Effect.serviceOption(NodeSocket.NetSocket))
  if (stream.closed) return
  yield* Effect.callback<void>((resume) => void stream.once("close", () => resume(Effect.void)))
})

it("[C-471] a write to a runner that has gone fails", async () => {
  const opened = ({ writer, reader }: Socket.Socket): Opened =>
    Effect.tap(writer, () => Effect.andThen(reader, closed))
  expect(await Effect.runPromise(writeAfter(opened))).toBe("SocketWriteError")
})

it("[C-471] a write to a connection that is read no more fails", async () => {
  const opened = ({ writer, reader }: Socket.Socket): Opened =>
    Effect.tap(writer, () => Effect.scoped(reader))
  expect(await Effect.runPromise(writeAfter(opened))).toBe("SocketWriteError")
})

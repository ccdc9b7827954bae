import { once } from "node:events"
import type { AddressInfo } from "node:net"

import { afterEach, expect, test } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"

import { webSocketFrame } from "../WebSocketBytes.ts"
import { LeanSocket, StampedFrame, stampOf } from "./LeanSocket.ts"

// What `ws` says on the other side decides whether the client speaks the protocol.

const started = new Set<WebSocketServer>()

afterEach(() => {
  for (const server of started) {
    for (const client of server.clients) client.terminate()
    server.close()
  }
  started.clear()
})

interface Pair {
  readonly client: LeanSocket
  readonly peer: WebSocket
  readonly heard: ReadonlyArray<Buffer>
  /** Resolves with the next message that the client hears. */
  next(): Promise<Buffer>
  readonly closed: Promise<number>
}

const connectPair = async (): Promise<Pair> => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false })
  started.add(server)
  await once(server, "listening")
  // `ws` says `string` for pipes; this one listens on a port.
  const { port } = server.address() as AddressInfo
  const heard: Array<Buffer> = []
  let arrived: (bytes: Buffer) => void = () => undefined
  const connected = once(server, "connection")
  const { promise: closed, resolve: close } = Promise.withResolvers<number>()
  const client = new LeanSocket(
    { port, path: "/a", subprotocol: null, from: "127.77.0.9" },
    {
      opened: () => undefined,
      message: (bytes, start, end) => {
        const copy = Buffer.from(bytes.subarray(start, end))
        heard.push(copy)
        arrived(copy)
      },
      closed: close
    }
  )
  const [peer]: ReadonlyArray<WebSocket> = await connected
  if (peer === undefined) throw new Error("nobody came")
  const next = (): Promise<Buffer> =>
    new Promise((resolve) => {
      arrived = resolve
    })
  return { client, peer, heard, next, closed }
}

test("[performance] frames of every length come whole and in order, however they are cut", async () => {
  const { peer, heard, next } = await connectPair()
  const lengths = [0, 1, 125, 126, 65_535, 65_536, 300_000, 5]
  for (const length of lengths) peer.send(Buffer.alloc(length, length % 251))
  while (heard.length < lengths.length) await next()
  expect(heard.map((bytes) => bytes.length)).toEqual(lengths)
  expect(heard.every((bytes) => bytes.every((byte) => byte === bytes.length % 251))).toBe(true)
})

test("[performance] a server reads what a client sends", async () => {
  const { client, peer } = await connectPair()
  for (const length of [0, 64, 125, 126, 65_535]) {
    const received = once(peer, "message")
    const payload = Buffer.alloc(length, 0x3c)
    client.send(webSocketFrame(payload))
    const [data]: ReadonlyArray<Buffer> = await received
    expect(data?.equals(payload)).toBe(true)
  }
})

test("[performance] the stamp of a frame comes back as it was", async () => {
  const { client, peer, next } = await connectPair()
  peer.on("message", (data) => peer.send(data))
  const frame = new StampedFrame(Buffer.alloc(64, 0x77), 6)
  for (const ms of [12.345, 98_765.4321]) {
    const echo = next()
    client.send(frame.at(ms))
    const bytes = await echo
    expect(stampOf(bytes, 6)).toBe(ms)
    expect([bytes.length, bytes[5], bytes[14]]).toEqual([64, 0x77, 0x77])
  }
})

test("[performance] it answers a ping, tells the code of a close, and leaves with 1000", async () => {
  const first = await connectPair()
  const pong = once(first.peer, "pong")
  first.peer.ping("are you there")
  expect(String((await pong)[0])).toBe("are you there")
  first.peer.close(4409, "full")
  expect(await first.closed).toBe(4409)

  const second = await connectPair()
  const left = once(second.peer, "close")
  second.client.leave()
  expect((await left)[0]).toBe(1000)

  const third = await connectPair()
  const lost = once(third.peer, "close")
  third.client.cut()
  expect((await lost)[0]).toBe(1006)
})

import { makeRoomState, type RoomState } from "@atrium/wire/codec/RoomState"
import { stateHash } from "@atrium/wire/codec/StateHash"
import type { SchemaDescriptor } from "@atrium/wire/schema/Descriptor"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { Packr } from "msgpackr"
import { WebSocketServer, type WebSocket } from "ws"

// Another msgpack than the client's own: a shared fault would not show.
const msgpack = new Packr({ useRecords: false })
const DeadlineMs = 5000

/** For tests: a service of one room on a real socket, driven frame by frame. */
export class FakeRoomServer<S extends AnyRoomSchema> {
  readonly room: RoomState<S>
  /** Answers a hello; replace it to refuse. */
  onHello: (peer: FakePeer<S>) => void = (peer) => peer.welcome()
  tick = 0
  readonly peers: Array<FakePeer<S>> = []
  readonly #server: WebSocketServer
  readonly #arrivals = new Inbox<FakePeer<S>>("a hello")

  private constructor(schema: S, server: WebSocketServer) {
    this.room = makeRoomState(schema)
    this.#server = server
    server.on("connection", (socket, request) => {
      const peer = new FakePeer(this, socket, request.url ?? "")
      this.peers.push(peer)
    })
  }

  static async open<S extends AnyRoomSchema>(schema: S): Promise<FakeRoomServer<S>> {
    const server = new WebSocketServer({
      port: 0,
      host: "127.0.0.1",
      handleProtocols: (offered) => (offered.has("rooms.v1") ? "rooms.v1" : false)
    })
    await new Promise((resolve) => server.once("listening", resolve))
    return new FakeRoomServer(schema, server)
  }

  get url(): string {
    const address = this.#server.address()
    if (typeof address !== "object" || address === null) throw new Error("the server is closed")
    return `ws://127.0.0.1:${address.port}`
  }

  get hash(): string {
    return stateHash(this.room.encodeFull())
  }

  arrived(peer: FakePeer<S>): void {
    this.#arrivals.put(peer)
    this.onHello(peer)
  }

  /** The next client that said hello. */
  peer(): Promise<FakePeer<S>> {
    return this.#arrivals.take()
  }

  /** Sends what changed in the room to all who are there. */
  patch(): void {
    const delta = this.room.encodeDelta()
    if (delta === null) return
    this.tick += 1
    for (const peer of this.peers) peer.send([17, this.tick, delta])
  }

  async close(): Promise<void> {
    for (const peer of this.peers) peer.terminate()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export interface FakeWelcome {
  readonly clientId?: string
  readonly resume?: string
  readonly state?: Uint8Array
  readonly schema?: SchemaDescriptor
  readonly staleMs?: number
}

/** The server's end of one connection. */
export class FakePeer<S extends AnyRoomSchema> {
  readonly path: string
  readonly protocol: string
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  hello: ReadonlyArray<unknown> = []
  readonly #server: FakeRoomServer<S>
  readonly #socket: WebSocket
  readonly #frames = new Inbox<ReadonlyArray<unknown>>("a frame")

  constructor(server: FakeRoomServer<S>, socket: WebSocket, path: string) {
    this.#server = server
    this.#socket = socket
    this.path = path
    this.protocol = socket.protocol
    this.closed = new Promise((resolve) => {
      socket.on("close", resolve)
    })
    socket.on("message", (data: Buffer) => {
      const frame: ReadonlyArray<unknown> = msgpack.unpack(data)
      if (frame[0] !== 1) return this.#frames.put(frame)
      this.hello = frame
      server.arrived(this)
    })
  }

  welcome(with_: FakeWelcome = {}): void {
    const number = this.#server.peers.length
    const { clientId = `c${number}`, resume = `resume-${number}` } = with_
    const { room, tick } = this.#server
    const state = with_.state ?? room.encodeFull()
    const roomId = this.path.split("/").at(-1)
    const schema = with_.schema ?? null
    const restart = with_.staleMs === undefined ? [] : [false, with_.staleMs]
    this.send([16, clientId, roomId, 1, tick, state, false, resume, schema, "pl_1", ...restart])
  }

  refuse(close: { readonly code: number; readonly name: string }): void {
    this.send([21, close.name, `refused: ${close.name}`])
    this.close(close.code, close.name)
  }

  send(frame: ReadonlyArray<unknown>): void {
    this.raw(msgpack.pack(frame))
  }

  raw(data: Uint8Array | string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(data)
  }

  close(code: number, reason = ""): void {
    this.#socket.close(code, reason)
  }

  /** The network is gone: no closing handshake. */
  terminate(): void {
    this.#socket.terminate()
  }

  /** The next frame after the hello. */
  frame(): Promise<ReadonlyArray<unknown>> {
    return this.#frames.take()
  }

  get unread(): number {
    return this.#frames.size
  }
}

/** Things that arrive and are awaited, in order; an await that stays empty fails by itself. */
export class Inbox<T> {
  readonly #what: string
  readonly #things: Array<T> = []
  readonly #takers: Array<(thing: T) => void> = []

  constructor(what: string) {
    this.#what = what
  }

  get size(): number {
    return this.#things.length
  }

  put(thing: T): void {
    const taker = this.#takers.shift()
    if (taker === undefined) this.#things.push(thing)
    else taker(thing)
  }

  take(): Promise<T> {
    const [thing] = this.#things.splice(0, 1)
    if (thing !== undefined) return Promise.resolve(thing)
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`${this.#what} did not come`))
      }, DeadlineMs)
      this.#takers.push((arrived) => {
        clearTimeout(late)
        resolve(arrived)
      })
    })
  }
}

import { Agent, request } from "node:http"

import { StampedFrame } from "@atrium/api/testing/load/LeanSocket"
import type { Seat } from "@atrium/api/testing/load/RoomSeat"
import type { Servers } from "@atrium/api/testing/load/Servers"
import { webSocketFrame } from "@atrium/api/testing/WebSocketBytes"

import type { Dialect } from "../FanOutLoad.ts"
import { versionOfPeer } from "./InstallPeers.ts"
import type { Peer, PeerJoin } from "./Peer.ts"
import { type Greeting, openPeer } from "./PeerSocket.ts"

/** The first byte of its frames. Source: `@colyseus/shared-types`, Protocol. */
const Frame = { joinRoom: 10, bytes: 17, state: 14, patch: 15 } as const

/** `say` as its encoder writes a short text. */
const say = Buffer.from(
  [0xa0 | 3, ..."say"].map((part) => (typeof part === "number" ? part : part.charCodeAt(0)))
)
const messageBytes = 64

interface Reservation {
  readonly sessionId: string
  readonly roomId: string
  readonly processId: string
}

/** Colyseus with its `ws` transport: a client asks for a seat over HTTP, then opens the socket. */
export class Colyseus implements Peer {
  readonly name = `Colyseus ${versionOfPeer("@colyseus/core")}`
  readonly pid: number
  readonly port: number
  /** `[17, "say", bytes]`, both ways. */
  readonly dialect: Dialect = {
    frame: new StampedFrame(
      Buffer.concat([Buffer.of(Frame.bytes), say, Buffer.alloc(messageBytes)]),
      1 + say.length
    ),
    stampAt: 1 + say.length,
    secondByte: say[0] ?? 0
  }
  /** What the first client of each room was told. The room has an id of its own. */
  readonly #rooms = new Map<string, Promise<Reservation>>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })

  private constructor(pid: number, port: number) {
    this.pid = pid
    this.port = port
  }

  static async start(servers: Servers, folder: string): Promise<Colyseus> {
    const child = servers.child(import.meta.resolve("./ColyseusChild.ts"), [folder])
    return new Colyseus(child.pid, Number(await child.line()))
  }

  isPatch(bytes: Buffer, start: number): boolean {
    return bytes[start] === Frame.patch
  }

  async join({ kind, room, from, resume, hear = () => undefined }: PeerJoin): Promise<Seat> {
    const startedAtMs = performance.now()
    const seat = await this.#reserve(`${kind}/${room}`, kind, resume)
    const { processId, roomId, sessionId } = seat
    const token = resume === undefined ? "" : `&reconnectionToken=${resume}`
    const path = `/${processId}/${roomId}?sessionId=${sessionId}${token}`
    return openPeer(this, greetingOf(path, { sessionId, hasState: kind !== "relay" }), {
      startedAtMs,
      seated: { from, hear }
    })
  }

  /** The first client of a room makes it. */
  async #reserve(name: string, kind: string, resume: string | undefined): Promise<Reservation> {
    const known = this.#rooms.get(name)
    if (known === undefined) {
      const made = this.#ask(`create/${kind}`, {})
      this.#rooms.set(name, made)
      return made
    }
    const { roomId } = await known
    return resume === undefined
      ? this.#ask(`joinById/${roomId}`, {})
      : this.#ask(`reconnect/${roomId}`, { reconnectionToken: resume })
  }

  #ask(what: string, body: object): Promise<Reservation> {
    const { promise, resolve, reject } = Promise.withResolvers<Reservation>()
    const bytes = JSON.stringify(body)
    const asked = request(
      {
        host: "127.0.0.1",
        port: this.port,
        agent: this.#agent,
        method: "POST",
        path: `/matchmake/${what}`,
        headers: { "content-type": "application/json", "content-length": bytes.length }
      },
      (response) => {
        let text = ""
        response.on("data", (chunk) => (text += String(chunk)))
        response.on("error", reject)
        response.on("end", () => {
          if (response.statusCode === 200) resolve(JSON.parse(text))
          else reject(new Error(`Colyseus refused ${what}: ${text}`))
        })
      }
    )
    asked.on("error", reject)
    asked.end(bytes)
    return promise
  }
}

/** The client answers the first frame, and gets the state after that. */
const greetingOf = (
  path: string,
  { sessionId, hasState }: { readonly sessionId: string; readonly hasState: boolean }
): Greeting => {
  let resume = ""
  return {
    path,
    binary: (bytes, socket) => {
      if (bytes[0] === Frame.state) return { id: sessionId, resume }
      if (bytes[0] !== Frame.joinRoom) throw new Error(`${path}: refused: ${bytes.toString()}`)
      resume = bytes.toString("utf8", 2, 2 + (bytes[1] ?? 0))
      socket.send(webSocketFrame(Buffer.of(Frame.joinRoom)))
      return hasState ? null : { id: sessionId, resume }
    }
  }
}

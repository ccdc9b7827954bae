import { Client, type ClientRoom, JoinError, type WebSocketConstructor } from "@atrium/sdk/client"
import type { Endpoint } from "@atrium/sdk/client/Endpoint"
import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"

import type { LoadFigures } from "./LoadFigures.ts"
import { LoadLimits } from "./LoadLimits.ts"
import type { LoadMessages, Random } from "./LoadMessages.ts"
import type { LoadTokens } from "./LoadTokens.ts"

/** The game that all players of a run play. */
export interface LoadGame {
  readonly endpoint: Endpoint
  readonly project: string
  readonly schema: AnyRoomSchema
  /** Messages of rooms with code; `null` = the schema declares none. */
  readonly messages: LoadMessages | null
  readonly up: { readonly hz: number; readonly bytes: number }
  readonly rejoinAfterDrop: number
  readonly tokens: LoadTokens
  readonly random: Random
  readonly figures: LoadFigures
}

/** One session: who comes, to which room, for how long. */
export interface LoadSession {
  readonly player: string
  readonly roomId: string
  readonly from: string | null
  readonly webSocket: WebSocketConstructor
  readonly lastsMs: number
}

/** How a session ended. `placeIsFree` = the room does not keep it. */
export interface LoadEnd {
  readonly refusal: string | null
  readonly placeIsFree: boolean
}

/** `[10, nil, bin]` around the bytes of a message in a relay room. */
const relayFrameBytes = 5
/** A message in a relay room begins with the moment at which it was sent. */
const stampBytes = 8

/** A room whose schema was read at run time: its names are no types. */
interface Sender {
  send(name: string, payload: unknown): void
}

/** Behind the code of players who were refused before they joined, as the service did not say who they are. */
export const atIdentity = "at /v1/identity"

/** One player from the join to the end, with the library that games use. */
export class LoadPlayer {
  readonly #game: LoadGame
  readonly #session: LoadSession
  readonly #ended: (end: LoadEnd) => void
  #state: "joining" | "playing" | "leaving" | "gone" = "joining"
  #room: ClientRoom<AnyRoomSchema> | null = null
  #endsAtMs = Infinity
  #sendsAtMs = Infinity
  #pingsAtMs = Infinity
  /** When the first message was sent that no patch has followed yet. */
  #awaitsSinceMs: number | null = null
  /** The connection was lost, and the client library tries again. */
  #away = false

  constructor(game: LoadGame, session: LoadSession, ended: (end: LoadEnd) => void) {
    this.#game = game
    this.#session = session
    this.#ended = ended
  }

  get roomId(): string {
    return this.#session.roomId
  }

  /** Whether the player counts as there: not when it is about to go. */
  get present(): boolean {
    return this.#state === "joining" || this.#state === "playing"
  }

  get playing(): boolean {
    return this.#state === "playing"
  }

  /** Rejects with what is a fault of this program. */
  async join(): Promise<void> {
    const { endpoint, project, schema, tokens, figures } = this.#game
    const { player, roomId, from, webSocket } = this.#session
    figures.started += 1
    let token = ""
    try {
      token = await tokens(player, from)
      const startedAtMs = performance.now()
      const client = new Client(endpoint.http, { project, getToken: () => token, webSocket })
      const room = await client.joinOrCreate(schema, { roomId })
      figures.add("joinMs", performance.now() - startedAtMs)
      figures.joined += 1
      this.#joined(room)
    } catch (error) {
      if (!(error instanceof JoinError)) throw error
      figures.refused.add(token === "" ? `${error.code} ${atIdentity}` : error.code)
      this.#end({ refusal: error.code, placeIsFree: true })
    }
  }

  /** Sends and pings when it is time. */
  act(nowMs: number): void {
    const room = this.#room
    if (this.#state !== "playing" || room === null) return
    if (nowMs >= this.#endsAtMs) return void this.leave()
    if (!room.connected) return
    if (nowMs >= this.#sendsAtMs) this.#send(room, nowMs)
    if (nowMs >= this.#pingsAtMs) this.#ping(room, nowMs)
  }

  /** Leaves for good. A player who is still joining leaves then. */
  async leave(): Promise<void> {
    if (!this.present) return
    this.#state = "leaving"
    if (this.#room === null) return
    await this.#room.leave()
    this.#end({ refusal: null, placeIsFree: true })
  }

  #joined(room: ClientRoom<AnyRoomSchema>): void {
    const { figures, up, random } = this.#game
    this.#room = room
    room.onDrop((code) => this.#dropped(code))
    room.onReconnect(() => {
      this.#away = false
      figures.rejoined += 1
    })
    room.onLeave((code) => this.#left(code))
    room.onError((code) => figures.errors.add(code))
    room.onStateChange(() => this.#patched())
    room.onSent(({ data }) => this.#heard(data))
    if (this.#state === "leaving") {
      this.#state = "playing"
      return void this.leave()
    }
    const nowMs = performance.now()
    this.#state = "playing"
    this.#endsAtMs = nowMs + this.#session.lastsMs
    // Players who came together do not act together.
    this.#pingsAtMs = nowMs + random() * LoadLimits.ping.ms
    if (up.hz > 0) this.#sendsAtMs = nowMs + (random() * 1000) / up.hz
  }

  #send(room: ClientRoom<AnyRoomSchema>, nowMs: number): void {
    const { messages, up, random, figures } = this.#game
    if (room.relay) {
      figures.relay = true
      room.send(null, stamped(Math.max(stampBytes, up.bytes - relayFrameBytes)))
    } else if (messages !== null) {
      const sender: Sender = room
      sender.send(messages.name, messages.make(random))
      this.#awaitsSinceMs ??= nowMs
    } else {
      this.#sendsAtMs = Infinity
      return
    }
    figures.messages += 1
    const periodMs = 1000 / up.hz
    this.#sendsAtMs += periodMs
    if (this.#sendsAtMs > nowMs - periodMs) return
    figures.lateMessages += 1
    this.#sendsAtMs = nowMs + periodMs
  }

  #ping(room: ClientRoom<AnyRoomSchema>, nowMs: number): void {
    this.#pingsAtMs = nowMs + LoadLimits.ping.ms
    // A connection that ends meanwhile has its own figures.
    room.ping().then(
      (ms) => this.#game.figures.add("pingMs", ms),
      () => undefined
    )
  }

  #patched(): void {
    const { figures } = this.#game
    figures.patches += 1
    if (this.#awaitsSinceMs === null) return
    figures.add("patchMs", performance.now() - this.#awaitsSinceMs)
    this.#awaitsSinceMs = null
  }

  #heard(data: unknown): void {
    if (!(data instanceof Uint8Array) || data.byteLength < stampBytes) return
    const { figures } = this.#game
    figures.deliveries += 1
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    figures.add("patchMs", Math.max(0, performance.now() - view.getFloat64(0)))
  }

  /** The client library tries again, unless this player is one of those who do not come back. */
  #dropped(code: number): void {
    const { figures, random, rejoinAfterDrop } = this.#game
    this.#awaitsSinceMs = null
    this.#away = true
    figures.dropped.add(nameOfClose(code))
    if (random() < rejoinAfterDrop) return
    figures.lost += 1
    this.#state = "leaving"
    void this.#room?.leave()
    this.#end({ refusal: null, placeIsFree: false })
  }

  #left(code: number): void {
    if (this.#state !== "playing") return
    // A connection that was lost before was counted then.
    if (!this.#away) this.#game.figures.dropped.add(nameOfClose(code))
    this.#game.figures.lost += 1
    this.#end({ refusal: null, placeIsFree: false })
  }

  #end(end: LoadEnd): void {
    if (this.#state === "gone") return
    this.#state = "gone"
    this.#ended(end)
  }
}

const stamped = (bytes: number): Uint8Array => {
  const data = new Uint8Array(bytes)
  new DataView(data.buffer).setFloat64(0, performance.now())
  return data
}

/** `1012 E_ROOM_RESTARTING`; a code that the service does not send has its number alone. */
const nameOfClose = (code: number): string => {
  const row = Object.values(CloseCodes).find((each) => each.code === code)
  return row === undefined ? String(code) : `${code} ${row.name}`
}

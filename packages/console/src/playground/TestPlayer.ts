import { Client, type ClientRoom } from "@atrium/sdk/client"
import { type AnyRoomSchema, type SchemaDescriptor } from "@atrium/sdk/schema"
import { type Signal, signal } from "@preact/signals"

import { nodesOf, type StateNode } from "../room/StateNode.ts"
import { ask } from "../service/Service.ts"
import { frameName } from "./FrameName.ts"
import { Transport } from "./Transport.ts"

/** The room that test players try. */
export interface Stage {
  readonly project: string
  readonly roomId: string
  readonly schema: AnyRoomSchema
  readonly descriptor: SchemaDescriptor
}

export type Standing = "joining" | "connected" | "lost" | "left"

/** Something that a player saw: a frame, an answer, a refusal. */
export interface Seen {
  readonly key: number
  readonly atMs: number
  readonly kind: "sent" | "received" | "answer" | "refusal" | "note"
  readonly text: string
}

const seenMax = 200
/** Signs of one of them: a frame may hold a megabyte. */
const seenTextMax = 4000
/** Shortest time between two updates of the list: a room may send sixty patches a second. */
const shownMs = 100
/** The state is drawn so often at most. */
const drawnMs = 250

/** A player of the playground: a client like any other, of which everything is told. */
export class TestPlayer {
  readonly number: number
  readonly standing: Signal<Standing> = signal("joining")
  readonly playerId = signal("")
  readonly state: Signal<ReadonlyArray<StateNode>> = signal([])
  readonly seen: Signal<ReadonlyArray<Seen>> = signal([])
  readonly transport: Transport
  readonly #stage: Stage
  #room: ClientRoom<AnyRoomSchema> | null = null
  #minted: { readonly token: string; readonly endsAtMs: number } | null = null
  #next = 0
  #drawing: ReturnType<typeof setTimeout> | undefined
  #unshown: Array<Seen> = []

  constructor(number: number, stage: Stage) {
    this.number = number
    this.#stage = stage
    this.transport = new Transport((frame, isSent) =>
      this.#note(
        isSent ? "sent" : "received",
        `${frameName(frame, isSent, stage.descriptor)}, ${frame.length} bytes`
      )
    )
  }

  async join(): Promise<void> {
    const { project, roomId, schema } = this.#stage
    const client = new Client(location.origin, {
      project,
      getToken: () => this.#credential(),
      webSocket: this.transport.WebSocket
    })
    try {
      const room = await client.joinOrCreate(schema, { roomId })
      // Somebody has left the page meanwhile.
      if (this.standing.value === "left") return void room.leave()
      this.#room = room
      this.#follow(room)
    } catch (error) {
      this.standing.value = "left"
      this.refuse(error)
    }
  }

  /** The credential of this player, as a session belongs to one player. After its end, that of another player. */
  async #credential(): Promise<string> {
    if (this.#minted !== null && Date.now() < this.#minted.endsAtMs) return this.#minted.token
    const { project, roomId } = this.#stage
    const answer = await ask<{ readonly token: string; readonly expiresAt: string }>({
      method: "POST",
      path: `/v1/projects/${encodeURIComponent(project)}/test-players`,
      body: { roomId }
    })
    if (answer._tag === "Refused") throw new Error(`${answer.code}: ${answer.message}`)
    const { token, expiresAt } = answer.value
    // By the service's clock, which the reader's need not follow.
    this.#minted = { token, endsAtMs: Date.now() + Date.parse(expiresAt) - answer.atMs }
    return token
  }

  #follow(room: ClientRoom<AnyRoomSchema>): void {
    this.standing.value = "connected"
    this.playerId.value = room.playerId
    const draw = (): void => {
      this.#drawing ??= setTimeout(() => {
        this.#drawing = undefined
        this.state.value = nodesOf(room.state)
      }, drawnMs)
    }
    draw()
    room.onStateChange(draw)
    room.onDrop((code) => {
      this.standing.value = "lost"
      this.#note("note", `the connection is lost (${code}), the client comes back by itself`)
    })
    room.onReconnect(() => {
      this.standing.value = "connected"
      this.playerId.value = room.playerId
      draw()
    })
    room.onRoomRestarted(() => this.#note("note", "the room was started again"))
    room.onLeave((code, reason) => {
      this.standing.value = "left"
      this.#note("note", `the end: ${code}${reason === "" ? "" : ` ${reason}`}`)
    })
    room.onError((code, message) => this.#note("refusal", `${code}: ${message}`))
    room.onChat(({ text }) => this.#note("answer", `somebody says: ${text}`))
    room.onMessage("*", (name, payload) => this.#note("answer", `${name} ${jsonText(payload)}`))
  }

  /** Calls an RPC of the room, and tells its answer. */
  async request(name: string, args: unknown): Promise<void> {
    const startedAt = performance.now()
    try {
      const room = this.#present()
      // The schema came over the wire: its names are known at run time alone.
      const answer = await room.request(name as never, args as never)
      const tookMs = Math.round(performance.now() - startedAt)
      this.#note("answer", `${name} answers ${jsonText(answer)} after ${tookMs} ms`)
    } catch (error) {
      this.refuse(error)
    }
  }

  send(name: string, payload: unknown): void {
    try {
      // As above: the room's schema judges both.
      this.#present().send(name as never, payload as never)
    } catch (error) {
      this.refuse(error)
    }
  }

  async leave(): Promise<void> {
    this.standing.value = "left"
    clearTimeout(this.#drawing)
    await this.#room?.leave()
  }

  #present(): ClientRoom<AnyRoomSchema> {
    if (this.#room === null) throw new Error("the player is not in the room")
    return this.#room
  }

  /** Notes an error of the form or of the room among the things that the player saw. */
  refuse(error: unknown): void {
    this.#note("refusal", refusalText(error))
  }

  #note(kind: Seen["kind"], text: string): void {
    if (this.#unshown.length === 0) setTimeout(() => this.#show(), shownMs)
    this.#unshown.push({
      key: this.#next++,
      atMs: Date.now(),
      kind,
      text: text.slice(0, seenTextMax)
    })
    if (this.#unshown.length > seenMax) this.#unshown.shift()
  }

  #show(): void {
    this.seen.value = [...this.seen.value, ...this.#unshown].slice(-seenMax)
    this.#unshown = []
  }
}

/** Errors of the client have a code, which not all of them say in their message. */
const refusalText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code } = Object(error)
  const isSaid = typeof code !== "string" || error.message.startsWith(code)
  return isSaid ? error.message : `${code}: ${error.message}`
}

const jsonText = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value, plain)

const plain = (_key: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (value instanceof Map) return [...value]
  return typeof value === "bigint" ? String(value) : value
}

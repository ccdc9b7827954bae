import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"

import { type AnswerLoss, RequestError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import { encodeFrame, type RelayMessage, type ServerMessage } from "./ClientWire.ts"
import { Listeners, surface, type Unsubscribe } from "./Listeners.ts"
import type { Post } from "./Post.ts"
import { relayOpFrame, type PlainOp } from "./RelayOp.ts"
import { Requests } from "./Requests.ts"

/** A client that asks for a record of this one. */
export interface OwnAsk<C extends string = string> {
  readonly collection: C
  readonly id: number
  /** The `sessionId` of who asks. */
  readonly from: string
}

/** Only `true` gives the record away. */
export type OwnAnswerer = (ask: OwnAsk) => boolean | Promise<boolean>

/** What another client sent. */
export interface Sent {
  /** Its `sessionId`. */
  readonly from: string
  /** Any msgpack value. Nobody has checked it. */
  readonly data: unknown
}

/** The parts of their room that the calls use. */
export interface RelayRoomParts {
  readonly schema: AnyRoomSchema
  readonly after: ClientPort["after"]
  /** Sends, or queues while the connection is away. Throws `SendError`. */
  post(post: Post): void
  unpost(of: Requests, id: number): void
  /** Sends while the client is in the room, else nothing. */
  send(frame: Uint8Array<ArrayBuffer>): void
  /** A number of this connection: another one knows nothing of its questions. */
  connection(): number
  has(collection: string, id: number): boolean
  fail(what: string, error: unknown): void
}

/** Calls and events of a client that only relay rooms have. Source: docs/protocol.md. */
export class RelayCalls {
  readonly sent = new Listeners<[Sent]>()
  readonly #room: RelayRoomParts
  readonly #writes: Requests
  readonly #owns: Requests
  readonly #opsOf = new Map<number, ReadonlyArray<PlainOp>>()
  readonly #asking = new Map<string, { readonly id: number; readonly answer: Promise<boolean> }>()
  readonly #mine = new Set<string>()
  #answerer: OwnAnswerer | null = null
  #sessionId: string | null = null

  constructor(room: RelayRoomParts) {
    this.#room = room
    // Errors name messages by their numbers, too: no write has one of those.
    this.#writes = new Requests(room.after, SchemaLimits.schemaMessages.max)
    this.#owns = new Requests(room.after)
  }

  /** Ids of the records that were added, in order. */
  async write(ops: ReadonlyArray<PlainOp>): Promise<ReadonlyArray<number>> {
    const packed = ops.map((op) => relayOpFrame(this.#room.schema, op))
    const { id, answer } = this.#request(this.#writes, "write")
    this.#opsOf.set(id, ops)
    try {
      this.#post({ of: this.#writes, id }, [ClientFrame.write, id, packed])
      const keys = await answer
      return Array.isArray(keys) ? keys : []
    } finally {
      this.#opsOf.delete(id)
    }
  }

  /** Asks once for all who want to know, as the answer names the record alone. */
  async own(collection: string, key: number): Promise<boolean> {
    const place = placeOf(collection, key)
    const asked = this.#asking.get(place) ?? this.#asked(collection, key)
    this.#asking.set(place, asked)
    return asked.answer
  }

  owns(collection: string, id: number): boolean {
    return this.#mine.has(placeOf(collection, id)) && this.#room.has(collection, id)
  }

  answerWith(answerer: OwnAnswerer): Unsubscribe {
    if (this.#answerer !== null) throw new Error("onOwnAsked: there is a handler already")
    this.#answerer = answerer
    return () => {
      if (this.#answerer === answerer) this.#answerer = null
    }
  }

  send(to: ReadonlyArray<string> | null, data: unknown): void {
    this.#room.post({ what: "send", frame: [ClientFrame.send, to, data], request: null })
  }

  received(message: RelayMessage): void {
    switch (message._tag) {
      case "ack":
        return this.#acknowledged(message.id, message.keys)
      case "ownResult": {
        const place = placeOf(message.collection, message.key)
        if (message.granted) this.#mine.add(place)
        else this.#mine.delete(place)
        const asked = this.#asking.get(place)
        if (asked !== undefined) this.#owns.settle(asked.id, { value: message.granted })
        return
      }
      case "ownAsk":
        void this.#answer(message)
        return
      case "sent":
        return this.sent.tell({ from: message.from, data: message.data })
    }
  }

  /** Takes an error that refuses a write; false = it is of something else. */
  refused({ code, message, re }: Extract<ServerMessage, { readonly _tag: "error" }>): boolean {
    if (re === null || this.#writes.nameOf(re) === null) return false
    this.#writes.settle(re, { error: new RequestError(code, message) })
    return true
  }

  /** A session that was not kept owns nothing. */
  welcomed(sessionId: string, by: AnswerLoss): void {
    this.lost(by)
    if (sessionId !== this.#sessionId) this.#mine.clear()
    this.#sessionId = sessionId
  }

  lost(by: AnswerLoss): void {
    this.#writes.lost(by)
    this.#owns.lost(by)
  }

  left(): void {
    this.#writes.end()
    this.#owns.end()
  }

  #request(of: Requests, name: string) {
    return of.add({
      name,
      timeoutMs: ClientLimits.clientRequest.ms,
      timedOut: (id) => this.#room.unpost(of, id)
    })
  }

  #post(request: NonNullable<Post["request"]>, frame: ReadonlyArray<unknown>): void {
    const what = request.of.nameOf(request.id) ?? ""
    try {
      this.#room.post({ what, frame, request })
    } catch (error) {
      request.of.settle(request.id, { value: undefined })
      throw error
    }
  }

  #asked(collection: string, key: number) {
    const place = placeOf(collection, key)
    const { id, answer } = this.#request(this.#owns, `own ${place}`)
    this.#post({ of: this.#owns, id }, [ClientFrame.own, collection, key])
    const over = answer.finally(() => this.#asking.delete(place))
    return { id, answer: over.then((granted) => granted === true) }
  }

  #acknowledged(id: number, keys: ReadonlyArray<number>): void {
    const ops = this.#opsOf.get(id) ?? []
    const added = ops.filter(({ op }) => op === "add")
    if (this.#writes.nameOf(id) !== null && added.length !== keys.length) {
      return this.#room.fail("ack", new Error(`${keys.length} keys of ${added.length} adds`))
    }
    for (const [at, { collection }] of added.entries()) {
      this.#mine.add(placeOf(collection, keys[at] ?? 0))
    }
    for (const { op, collection, id: key } of ops) {
      if (op === "remove") this.#mine.delete(placeOf(collection, key ?? 0))
    }
    this.#writes.settle(id, { value: keys })
  }

  async #answer(ask: Extract<RelayMessage, { readonly _tag: "ownAsk" }>): Promise<void> {
    const { request, collection, key, from } = ask
    const connection = this.#room.connection()
    let granted = false
    try {
      granted = (await this.#answerer?.({ collection, id: key, from })) === true
    } catch (error) {
      surface(error)
    }
    if (connection !== this.#room.connection()) return
    this.#room.send(encodeFrame([ClientFrame.ownAnswer, request, granted]))
  }
}

const placeOf = (collection: string, key: number): string => `${collection}/${key}`

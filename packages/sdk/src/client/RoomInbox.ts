import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { fromDescriptor } from "@atrium/wire/schema/FromDescriptor"
import type { CollectionView, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema, RpcShape } from "@atrium/wire/schema/RoomSchema"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"

import { messageOf, RequestError, SendError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import {
  encodeFrame,
  type RoomRestart,
  type ServerMessage,
  type WelcomeMessage
} from "./ClientWire.ts"
import { Listeners, surface, type Unsubscribe } from "./Listeners.ts"
import { missingIn } from "./MissingIn.ts"
import { Outbox } from "./Outbox.ts"
import { packPayload, translateFrame, unpackPayload } from "./Payload.ts"
import { encodePost, type Post } from "./Post.ts"
import { makeObservedView, type ObservedView, RecordEvents } from "./RecordEvents.ts"
import { RelayCalls } from "./RelayCalls.ts"
import { Requests } from "./Requests.ts"
import type { SessionOwner } from "./RoomSession.ts"
import type { Refusal } from "./SessionMachine.ts"

export interface InboxParts<S extends AnyRoomSchema> {
  readonly port: ClientPort
  readonly schema: S
  readonly url: string
  readonly token: () => Promise<string>
  readonly type: string | null
  readonly resume: string | null
  readonly options: unknown
}

/** The session, as the inbox asks and tells it. */
export interface InboxSession {
  joined(): boolean
  /** The room was left, or is over. */
  ended(): boolean
  send(frame: Uint8Array<ArrayBuffer>): void
  welcomed(): void
  fail(why: Refusal): void
  refuse(message: string): void
}

interface Queued {
  readonly body: Uint8Array<ArrayBuffer>
  readonly request: Post["request"]
  readonly packedBy: AnyRoomSchema
}

type Answerer = (args: unknown) => unknown

/** Turns what arrives into state, answers and calls of listeners; holds what waits to be sent. */
export class RoomInbox<S extends AnyRoomSchema> implements SessionOwner {
  readonly url: string
  readonly token: () => Promise<string>
  readonly anyMessage = new Listeners<ReadonlyArray<unknown>>()
  readonly stateChanges = new Listeners<[]>()
  readonly records: RecordEvents
  readonly chats = new Listeners<[{ readonly from: string; readonly text: string }]>()
  readonly drops = new Listeners<[code: number, reason: string]>()
  readonly reconnects = new Listeners<[]>()
  readonly restarts = new Listeners<[RoomRestart]>()
  readonly leaves = new Listeners<[code: number, reason: string]>()
  readonly errors = new Listeners<[code: string, message: string]>()
  readonly voices = new Listeners<[frame: ReadonlyArray<unknown>]>()
  readonly requests: Requests
  readonly pings: Requests
  readonly relay: RelayCalls
  readonly outbox = new Outbox<Queued>({
    entriesMax: ClientLimits.clientQueue.max,
    bytesMax: ClientLimits.clientQueueBytes.max
  })
  readonly state: ViewOf<S>
  /** The schema that this connection speaks: the client's, or the room's own. */
  wire: AnyRoomSchema
  tick = 0
  readonly #parts: InboxParts<S>
  readonly #session: InboxSession
  readonly #messages = new Map<string, Listeners<ReadonlyArray<unknown>>>()
  readonly #answerers = new Map<string, Answerer>()
  #view: ObservedView
  #welcome: WelcomeMessage | null = null
  #connections = 0

  constructor(parts: InboxParts<S>, session: InboxSession) {
    this.#parts = parts
    this.#session = session
    this.url = parts.url
    this.token = parts.token
    this.wire = parts.schema
    this.requests = new Requests(parts.port.after)
    this.pings = new Requests(parts.port.after)
    this.#view = makeObservedView(parts.schema)
    this.records = new RecordEvents(this.#view)
    this.state = stableState(parts.schema, () => this.#view.state)
    this.relay = new RelayCalls({
      schema: parts.schema,
      after: parts.port.after,
      post: (post) => this.post(post),
      unpost: (of, id) => this.unpost(of, id),
      send: (frame) => session.send(frame),
      connection: () => this.#connections,
      has: (collection, id) => hasRecord(this.#view.state, { collection, id }),
      fail: (what, error) => this.#fail(what, error)
    })
  }

  /** The last welcome. A room is handed out only after the first one. */
  get welcome(): WelcomeMessage {
    if (this.#welcome === null) throw new Error("the room has not welcomed the client yet")
    return this.#welcome
  }

  encodeFull(): Uint8Array {
    return this.#view.encodeFull()
  }

  messagesOf(name: string): Listeners<ReadonlyArray<unknown>> {
    let listeners = this.#messages.get(name)
    if (listeners === undefined) {
      listeners = new Listeners()
      this.#messages.set(name, listeners)
    }
    return listeners
  }

  answerWith(name: string, answerer: Answerer): Unsubscribe {
    if (this.#answerers.has(name)) throw new Error(`${name}: the RPC has a handler already`)
    this.#answerers.set(name, answerer)
    return () => {
      if (this.#answerers.get(name) === answerer) this.#answerers.delete(name)
    }
  }

  /** Sends, or queues while the connection is away. Throws `SendError`. */
  post(post: Post): void {
    const { what, request } = post
    if (this.#session.ended()) throw new SendError("E_LEFT", `${what}: the room was left`)
    const body = encodePost(post)
    if (body.byteLength > FrameLimits.frameBytes.max) {
      const text = `${what}: ${body.byteLength} bytes, at most ${FrameLimits.frameBytes.max}`
      throw new SendError("E_FRAME_TOO_LARGE", text)
    }
    if (this.#session.joined()) {
      request?.of.sent(request.id)
      this.#session.send(body)
    } else if (!this.outbox.push({ body, request, packedBy: this.wire })) {
      throw new SendError("E_QUEUE_FULL", `${what}: too much waits for the connection`)
    }
  }

  /** Takes back what still waits for the connection. */
  unpost(of: Requests, id: number): void {
    this.outbox.remove(({ request }) => request?.of === of && request.id === id)
  }

  hello(token: string): Uint8Array<ArrayBuffer> {
    this.#connections += 1
    const { type, schema, options } = this.#parts
    const resume = this.#welcome?.resume ?? this.#parts.resume
    return encodeFrame([
      ClientFrame.hello,
      token,
      type,
      schemaHash(schema),
      resume,
      options ?? null
    ])
  }

  ping(): Uint8Array<ArrayBuffer> {
    return encodeFrame([ClientFrame.ping, null])
  }

  received(message: ServerMessage): void {
    switch (message._tag) {
      case "welcome":
        return this.#welcomed(message)
      case "patch":
        return this.#patched(message.tick, message.delta)
      case "msg":
        return this.#messaged(message.index, message.payload)
      case "rpcResult":
        return this.#answered(message.id, message.ok, message.value)
      case "chat":
        return this.chats.tell({ from: message.from, text: message.text })
      case "error":
        if (this.relay.refused(message)) return
        // Before the welcome it is a refusal, and the session tells it with the close that follows.
        if (this.#session.joined()) this.errors.tell(message.code, message.message)
        return
      case "pong":
        if (typeof message.echo === "number") this.pings.settle(message.echo, { value: null })
        return
      case "rpc":
        void this.#called(message.id, message.index, message.args)
        return
      case "ack":
      case "ownResult":
      case "ownAsk":
      case "sent":
        return this.relay.received(message)
      case "voice":
        return this.voices.tell(message.frame)
      case "unknown":
        return
    }
  }

  dropped(code: number, reason: string): void {
    this.requests.lost("disconnect")
    this.relay.lost("disconnect")
    this.pings.end()
    this.drops.tell(code, reason)
  }

  reconnected(): void {
    for (const entry of this.outbox.takeAll()) this.#flush(entry)
    this.reconnects.tell()
  }

  errored(refusal: Refusal): void {
    this.errors.tell(refusal.code, refusal.message)
  }

  left(code: number, reason: string): void {
    this.outbox.takeAll()
    this.requests.end()
    this.relay.left()
    this.pings.end()
    this.leaves.tell(code, reason)
  }

  #welcomed(message: WelcomeMessage): void {
    let wire: AnyRoomSchema | string
    try {
      wire = this.#wireOf(message.schema)
    } catch (error) {
      return this.#fail("welcome", error)
    }
    if (typeof wire === "string") return this.#session.refuse(wire)
    const view = wire === this.wire ? this.#view : makeObservedView(wire)
    try {
      view.applyFull(message.state)
    } catch (error) {
      return this.#failState("welcome", error)
    }
    // On a socket that lives on, a welcome means that the room itself was started anew.
    const { staleMs } = message
    const by = staleMs === null ? "disconnect" : "restart"
    this.requests.lost(by)
    this.relay.welcomed(message.clientId, by)
    this.wire = wire
    if (view !== this.#view) this.records.moved(view)
    this.#view = view
    this.#welcome = message
    this.tick = message.tick
    this.#session.welcomed()
    if (staleMs !== null) this.restarts.tell({ staleMs })
    this.#changed()
  }

  // A room deployed after this client was built tells its own layout; it may have more, not less.
  #wireOf(descriptor: unknown): AnyRoomSchema | string {
    const { schema } = this.#parts
    const room = descriptor === null ? schema : fromDescriptor(descriptor)
    // The same layout as before keeps the view, and with it every record that the game holds.
    if (schemaHash(room) === schemaHash(this.wire)) return this.wire
    return missingIn(schema, room) ?? room
  }

  #patched(tick: number, delta: Uint8Array): void {
    if (tick !== this.tick + 1) {
      return this.#fail("patch", new Error(`tick ${tick} after ${this.tick}`))
    }
    try {
      this.#view.applyDelta(delta)
    } catch (error) {
      return this.#failState("patch", error)
    }
    this.tick = tick
    this.#changed()
  }

  #changed(): void {
    this.records.tell()
    this.stateChanges.tell()
  }

  // Half of it may have been applied. Until the next welcome the game sees the last: old, but whole.
  #failState(what: string, error: unknown): void {
    if (this.#welcome !== null) {
      this.#view.applyFull(this.#welcome.state)
      this.tick = this.#welcome.tick
    }
    this.#fail(what, error)
  }

  #messaged(index: number, packed: unknown): void {
    const shape = this.wire.messages.list[index]
    if (shape === undefined) return this.#fail("msg", new Error(`no message ${index}`))
    let payload: unknown
    try {
      payload = unpackPayload(shape.fields, packed)
    } catch (error) {
      return this.#fail(shape.name, error)
    }
    this.#messages.get(shape.name)?.tell(payload)
    this.anyMessage.tell(shape.name, payload)
  }

  #answered(id: number, ok: boolean, value: unknown): void {
    const name = this.requests.nameOf(id)
    const shape = name === null ? undefined : this.wire.rpc.client.byName.get(name)
    if (shape === undefined) return
    if (!ok) return this.requests.settle(id, { error: requestErrorOf(value) })
    try {
      this.requests.settle(id, { value: unpackPayload(shape.returns, value) })
    } catch (error) {
      this.#fail(shape.name, error)
    }
  }

  async #called(id: number, index: number, packed: unknown): Promise<void> {
    const asked = this.#welcome
    const shape = this.wire.rpc.server.list[index]
    if (shape === undefined) return this.#fail("rpc", new Error(`no RPC ${index}`))
    let args: unknown
    try {
      args = unpackPayload(shape.args, packed)
    } catch (error) {
      return this.#fail(shape.name, error)
    }
    const answer = await this.#answer(id, shape, args)
    // A room that has welcomed the client anew has given up on its calls of before, and ids may repeat.
    if (asked === this.#welcome) this.#session.send(answer)
  }

  async #answer(id: number, shape: RpcShape, args: unknown): Promise<Uint8Array<ArrayBuffer>> {
    const refuse = (code: string, message: string): Uint8Array<ArrayBuffer> =>
      encodeFrame([ClientFrame.rpcResult, id, false, [code, message]])
    const answerer = this.#answerers.get(shape.name)
    if (answerer === undefined) {
      return refuse(RoomRefusals.rpcUnknown.code, `${shape.name}: the client has no handler`)
    }
    try {
      const value = packPayload(shape.returns, await answerer(args), shape.name)
      return encodeFrame([ClientFrame.rpcResult, id, true, value])
    } catch (error) {
      if (error instanceof RequestError) return refuse(error.code, error.message)
      surface(error)
      return refuse(RoomRefusals.rpcFailed.code, `${shape.name}: the client's handler failed`)
    }
  }

  #flush({ body, request, packedBy }: Queued): void {
    let frame = body
    try {
      if (packedBy !== this.wire) frame = translateFrame(body, packedBy, this.wire)
    } catch (error) {
      // A rollback may have taken away what was queued, or room for it.
      const code = error instanceof SendError ? error.code : RoomRefusals.badMessage.code
      const refusal = new RequestError(code, messageOf(error))
      if (request === null) this.errors.tell(code, refusal.message)
      else request.of.settle(request.id, { error: refusal })
      return
    }
    request?.of.sent(request.id)
    this.#session.send(frame)
  }

  #fail(what: string, error: unknown): void {
    this.#session.fail({ code: "E_PROTOCOL", message: `${what}: ${messageOf(error)}` })
  }
}

const requestErrorOf = (value: unknown): RequestError => {
  const [code, message] = Array.isArray(value) ? value : []
  return new RequestError(
    typeof code === "string" ? code : RoomRefusals.rpcFailed.code,
    typeof message === "string" ? message : "the request failed"
  )
}

const hasRecord = (
  state: Readonly<Record<string, unknown>>,
  { collection, id }: { readonly collection: string; readonly id: number }
): boolean => {
  const view = state[collection]
  return isCollection(view) && view.has(id)
}

const isCollection = (view: unknown): view is CollectionView<unknown> =>
  typeof view === "object" && view !== null && "has" in view && typeof view.has === "function"

// The view changes when a room comes back with another schema; what the game holds must not.
const stableState = <S extends AnyRoomSchema>(
  schema: S,
  current: () => Readonly<Record<string, unknown>>
): ViewOf<S> => {
  const state = {}
  const names = [...schema.singletons.byName.keys(), ...schema.collections.byName.keys()]
  for (const name of names) {
    Object.defineProperty(state, name, { enumerable: true, get: () => current()[name] })
  }
  // It has a getter for every singleton and collection of the schema, and nothing else.
  return Object.freeze(state) as ViewOf<S>
}

import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { stateHash } from "@atrium/wire/codec/StateHash"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import type {
  ClientRpcsOf,
  MessagesOf,
  SeenAnswersOf,
  SeenArgsOf,
  SeenMessagesOf,
  ServerRpcsOf,
  ViewOf
} from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { RequestError, SendError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import { encodeFrame, type RoomRestart } from "./ClientWire.ts"
import type { Unsubscribe } from "./Listeners.ts"
import { packPayload } from "./Payload.ts"
import { formatReconnectionToken } from "./ReconnectionToken.ts"
import type { AnyListeners, RecordListeners, RecordOf, SingletonListeners } from "./RecordEvents.ts"
import type { OwnAnswerer, OwnAsk, Sent } from "./RelayCalls.ts"
import type { CollectionName, PlainOp, RelayOp, SingletonName, SomeValues } from "./RelayOp.ts"
import { RoomInbox } from "./RoomInbox.ts"
import { RoomSession, type SessionSettings } from "./RoomSession.ts"
import { lineTo } from "./VoiceLines.ts"

type Name<T> = keyof T & string

export interface ClientRoomParts<S extends AnyRoomSchema> {
  readonly port: ClientPort
  readonly settings: SessionSettings
  readonly schema: S
  readonly roomId: string
  readonly url: string
  readonly token: () => Promise<string>
  /** Sent when the room is to be created if it does not exist. */
  readonly type: string | null
  readonly resume: string | null
  readonly options: unknown
}

/**
 * One joined room. Listeners added by `on…` are taken away by the function that it returns.
 * The connection may come and go beneath it until `onLeave`.
 */
export class ClientRoom<S extends AnyRoomSchema> {
  /** The id to share, so that others join this room. */
  readonly id: string
  /** The room's state, always the same object; read-only, changed by what the room sends. */
  readonly state: ViewOf<S>
  readonly #port: ClientPort
  readonly #inbox: RoomInbox<S>
  readonly #session: RoomSession

  /** Made by `Client`. @internal */
  constructor(parts: ClientRoomParts<S>) {
    this.id = parts.roomId
    this.#port = parts.port
    const inbox = new RoomInbox(parts, {
      joined: () => this.#session.joined,
      ended: () => this.#session.ended,
      send: (frame) => this.#session.send(frame),
      welcomed: () => this.#session.welcomed(),
      fail: (why) => this.#session.fail(why),
      refuse: (message) => this.#session.refuse(message)
    })
    this.#inbox = inbox
    this.state = inbox.state
    lineTo(this, { send: (frame) => this.#session.send(frame), told: inbox.voices })
    this.#session = new RoomSession({ port: parts.port, settings: parts.settings, owner: inbox })
  }

  /** Resolves when the room has welcomed the client. Rejects with `JoinError`. @internal */
  start(): Promise<void> {
    return this.#session.start()
  }

  /** This client in this room; another one when a session could not be resumed. */
  get sessionId(): string {
    return this.#inbox.welcome.clientId
  }

  /** The player, the same in all rooms. */
  get playerId(): string {
    return this.#inbox.welcome.playerId
  }

  /** True for a viewer of an audience, who sees and cannot act. */
  get audience(): boolean {
    return this.#inbox.welcome.audience
  }

  /** True for a room that runs no code: its clients write the state. */
  get relay(): boolean {
    return this.#inbox.welcome.relay
  }

  /** The deployment version that the room runs. */
  get version(): number {
    return this.#inbox.welcome.version
  }

  /** The number of the last patch. */
  get tick(): number {
    return this.#inbox.tick
  }

  /** `false` while the connection is lost, and after the end. */
  get connected(): boolean {
    return this.#session.joined
  }

  /** For `client.reconnect`, also after a reload of the page. A new one with every welcome. */
  get reconnectionToken(): string {
    return formatReconnectionToken({ roomId: this.id, resume: this.#inbox.welcome.resume })
  }

  /** 16 hexadecimal characters, equal to the room's own when client and room agree. */
  stateHash(): string {
    return stateHash(this.#inbox.encodeFull())
  }

  /** Sends a message, or queues it while the connection is away. Throws `FieldError` or `SendError`. */
  send<N extends Name<MessagesOf<S>>>(name: N, payload: MessagesOf<S>[N]): void
  /**
   * Relay rooms: any msgpack value to the clients of these `sessionId`s, or with `null` to all
   * others in the room. Who is not there is passed over.
   */
  send(to: ReadonlyArray<string> | null, data: unknown): void
  send(to: string | ReadonlyArray<string> | null, payload: unknown): void {
    if (typeof to !== "string") return this.#inbox.relay.send(to, payload)
    const shape = this.#inbox.wire.messages.byName.get(to)
    if (shape === undefined) throw unknownName("message", to)
    const packed = packPayload(shape.fields, payload, to)
    const frame = [ClientFrame.msg, shape.index, packed]
    this.#inbox.post({ what: to, frame, request: null })
  }

  /**
   * Relay rooms: changes the state, by all operations or none. Resolves with the ids of what was
   * added, in order, when `state` shows it. Rejects with `RequestError`: `E_NOT_OWNER`,
   * `E_WRITE_REJECTED`, `E_WRITE_RATE`, `E_RECORD_CAP`, `E_STATE_CAP`, `E_RATE_LIMITED`, or
   * `E_DISCONNECTED` or `E_ROOM_RESTARTED` (it may or may not have been carried out); with
   * `FieldError` for what no field takes.
   */
  write(ops: ReadonlyArray<RelayOp<S>>): Promise<ReadonlyArray<number>> {
    return this.#inbox.relay.write(ops)
  }

  /** Relay rooms: adds a record, which is this client's own. Resolves with its id; rejects as `write`. */
  async add<C extends CollectionName<S>>(collection: C, values: SomeValues<S, C>): Promise<number> {
    const [id] = await this.#inbox.relay.write([{ op: "add", collection, values }])
    if (id === undefined) throw new RequestError("E_DISCONNECTED", `${collection}: no id came`)
    return id
  }

  /** Relay rooms: sets fields of a record of one's own, or of a singleton. Rejects as `write`. */
  async set<C extends SingletonName<S>>(singleton: C, values: SomeValues<S, C>): Promise<void>
  async set<C extends CollectionName<S>>(
    collection: C,
    id: number,
    values: SomeValues<S, C>
  ): Promise<void>
  async set(collection: string, idOrValues: number | object, values: object = {}): Promise<void> {
    const rest: Pick<PlainOp, "id" | "values"> =
      typeof idOrValues === "number" ? { id: idOrValues, values } : { values: idOrValues }
    await this.#inbox.relay.write([{ op: "set", collection, ...rest }])
  }

  /** Relay rooms: removes a record of one's own. Rejects as `write`. */
  async remove(collection: CollectionName<S>, id: number): Promise<void> {
    await this.#inbox.relay.write([{ op: "remove", collection, id }])
  }

  /**
   * Relay rooms: asks for a record and resolves with whether it is this client's now: at once when
   * its owner is gone, else by the owner's answer. Rejects with `RequestError` as `request`.
   */
  own(collection: CollectionName<S>, id: number): Promise<boolean> {
    return this.#inbox.relay.own(collection, id)
  }

  /** Relay rooms: whether a record is there and this client's own, as far as it knows. */
  owns(collection: CollectionName<S>, id: number): boolean {
    return this.#inbox.relay.owns(collection, id)
  }

  /**
   * Relay rooms: answers clients that ask for a record of this one; one handler. Only `true` gives
   * it away; without a handler nothing is.
   */
  onOwnAsked(answer: (ask: OwnAsk<CollectionName<S>>) => boolean | Promise<boolean>): Unsubscribe {
    // The room asks for records of its own collections alone.
    return this.#inbox.relay.answerWith(answer as OwnAnswerer)
  }

  /** Relay rooms: what other clients send to this one. */
  onSent(call: (sent: Sent) => void): Unsubscribe {
    return this.#inbox.relay.sent.add(call)
  }

  /**
   * Calls an RPC of the room. Rejects with `RequestError`: the room's code, or `E_RPC_TIMEOUT`,
   * `E_DISCONNECTED` or `E_ROOM_RESTARTED` (it may or may not have been carried out), `E_RPC_BUSY`.
   */
  async request<N extends Name<ClientRpcsOf<S>>>(
    name: N,
    args: ClientRpcsOf<S>[N]["args"],
    options: { readonly timeoutMs?: number } = {}
  ): Promise<SeenAnswersOf<S>[N]> {
    const inbox = this.#inbox
    const shape = inbox.wire.rpc.client.byName.get(name)
    if (shape === undefined) throw unknownName("RPC", name)
    const packed = packPayload(shape.args, args, name)
    const { id, answer } = inbox.requests.add({
      name,
      timeoutMs: options.timeoutMs ?? ClientLimits.clientRequest.ms,
      timedOut: (id) => inbox.unpost(inbox.requests, id)
    })
    try {
      const frame = [ClientFrame.rpc, id, shape.index, packed]
      inbox.post({ what: name, frame, request: { of: inbox.requests, id } })
    } catch (error) {
      inbox.requests.settle(id, { value: undefined })
      throw error
    }
    // The answer was read by the shape that the type is derived from.
    return (await answer) as SeenAnswersOf<S>[N]
  }

  /** Says a line to everyone in the room. */
  chat(text: string): void {
    this.#inbox.post({ what: "chat", frame: [ClientFrame.chat, text], request: null })
  }

  /** Milliseconds to the room's server and back. Rejects with `RequestError`. */
  async ping(): Promise<number> {
    if (!this.connected) throw new RequestError("E_DISCONNECTED", "ping: no connection")
    const sentAtMs = this.#port.elapsedMs()
    const { id, answer } = this.#inbox.pings.add({
      name: "ping",
      timeoutMs: ClientLimits.clientRequest.ms,
      timedOut: () => {}
    })
    this.#inbox.pings.sent(id)
    this.#session.send(encodeFrame([ClientFrame.ping, id]))
    await answer
    return this.#port.elapsedMs() - sentAtMs
  }

  /** Leaves for good; the room does not keep the session. Resolves when the socket is closed. */
  leave(): Promise<void> {
    return this.#session.leave()
  }

  /** Messages of one name, or of all (`"*"`, then called with the name first). */
  onMessage(name: "*", call: (name: Name<MessagesOf<S>>, payload: unknown) => void): Unsubscribe
  onMessage<N extends Name<MessagesOf<S>>>(
    name: N,
    call: (payload: SeenMessagesOf<S>[N]) => void
  ): Unsubscribe
  onMessage(name: string, call: (...args: ReadonlyArray<never>) => void): Unsubscribe {
    // Both overloads are told what their own types say.
    const told = call as (...args: ReadonlyArray<unknown>) => void
    if (name === "*") return this.#inbox.anyMessage.add(told)
    return this.#inbox.messagesOf(name).add(told)
  }

  /**
   * The records of one collection, or a singleton. The calls come when a patch, or the whole state after a reconnect, has been
   * applied whole: first `remove`, then `add`, then `change`, each record once. Records that are there already are not told.
   * Throws `SendError` for a name that the schema does not have.
   */
  on<N extends CollectionName<S>>(
    collection: N,
    listeners: RecordListeners<RecordOf<S, N>>
  ): Unsubscribe
  on<N extends SingletonName<S>>(
    singleton: N,
    listeners: SingletonListeners<RecordOf<S, N>>
  ): Unsubscribe
  on(name: string, listeners: object): Unsubscribe {
    if (!Object.hasOwn(this.state, name)) throw unknownName("collection or singleton", name)
    // The records of this name have the types that both overloads say.
    return this.#inbox.records.on(name, listeners as AnyListeners)
  }

  /** After every welcome and every patch, and after the calls of `on`. */
  onStateChange(call: (state: ViewOf<S>) => void): Unsubscribe {
    return this.#inbox.stateChanges.add(() => call(this.state))
  }

  /**
   * Answers an RPC that the room calls; one handler for each. The room learns the code and the
   * text of a `RequestError`, and of any other throw only that it failed.
   */
  onRequest<N extends Name<ServerRpcsOf<S>>>(
    name: N,
    answer: (
      args: SeenArgsOf<S>[N]
    ) => ServerRpcsOf<S>[N]["returns"] | Promise<ServerRpcsOf<S>[N]["returns"]>
  ): Unsubscribe {
    // The arguments were read by the shape that the type is derived from.
    return this.#inbox.answerWith(name, (args) => answer(args as SeenArgsOf<S>[N]))
  }

  /** Lines that somebody in the room has said by `chat`; `from` is the `sessionId`. */
  onChat(call: (line: { readonly from: string; readonly text: string }) => void): Unsubscribe {
    return this.#inbox.chats.add(call)
  }

  /** The connection was lost and the client tries to come back. */
  onDrop(call: (code: number, reason: string) => void): Unsubscribe {
    return this.#inbox.drops.add(call)
  }

  /** The client is back, with complete state. */
  onReconnect(call: () => void): Unsubscribe {
    return this.#inbox.reconnects.add(call)
  }

  /**
   * The room's process ended and the room was started again; the connection stayed open. `state` shows
   * what was stored, and requests that had no answer yet failed with `E_ROOM_RESTARTED`.
   */
  onRoomRestarted(call: (restart: RoomRestart) => void): Unsubscribe {
    return this.#inbox.restarts.add(call)
  }

  /**
   * The end: the client left, was removed, or could not come back.
   *
   * @param call gets a WebSocket close code of docs/protocol.md or of `ClientClose`
   */
  onLeave(call: (code: number, reason: string) => void): Unsubscribe {
    return this.#inbox.leaves.add(call)
  }

  /** Refusals that belong to no request, such as a chat line that is too long. */
  onError(call: (code: string, message: string) => void): Unsubscribe {
    return this.#inbox.errors.add(call)
  }
}

const unknownName = (kind: string, name: string): SendError =>
  new SendError("E_UNKNOWN_NAME", `${name}: the schema has no such ${kind}`)

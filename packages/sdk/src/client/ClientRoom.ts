import { ClientFrame } from "@atrium/domain/Frame"
import { Limits } from "@atrium/domain/Limits"

import { stateHash } from "../codec/StateHash.ts"
import { MsgpackError } from "../msgpack/MsgpackReader.ts"
import type { ClientRpcsOf, MessagesOf, ServerRpcsOf, ViewOf } from "../schema/Inference.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { RequestError, SendError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import { encodeFrame } from "./ClientWire.ts"
import type { Unsubscribe } from "./Listeners.ts"
import { packPayload } from "./Payload.ts"
import { formatReconnectionToken } from "./ReconnectionToken.ts"
import { RoomInbox } from "./RoomInbox.ts"
import { RoomSession, type SessionSettings } from "./RoomSession.ts"

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
  readonly id: string
  /** The room's state, always the same object; read-only, changed by what the room sends. */
  readonly state: ViewOf<S>
  readonly #port: ClientPort
  readonly #inbox: RoomInbox<S>
  readonly #session: RoomSession

  /** Made by `Client`. */
  constructor(parts: ClientRoomParts<S>) {
    this.id = parts.roomId
    this.#port = parts.port
    const inbox = new RoomInbox(parts, {
      joined: () => this.#session.joined,
      send: (frame) => this.#session.send(frame),
      welcomed: () => this.#session.welcomed(),
      fail: (why) => this.#session.fail(why),
      refuse: (message) => this.#session.refuse(message)
    })
    this.#inbox = inbox
    this.state = inbox.state
    this.#session = new RoomSession({ port: parts.port, settings: parts.settings, owner: inbox })
  }

  /** Used by `Client`: resolves when the room has welcomed the client. Rejects with `JoinError`. */
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

  /** The deployment version that the room runs. */
  get version(): number {
    return this.#inbox.welcome.version
  }

  /** The number of the last patch. */
  get tick(): number {
    return this.#inbox.tick
  }

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

  /** Sends a message, or queues it while the connection is away. Throws FieldError or SendError. */
  send<N extends Name<MessagesOf<S>>>(name: N, payload: MessagesOf<S>[N]): void {
    const shape = this.#inbox.wire.messages.byName.get(name)
    if (shape === undefined) throw unknownName("message", name)
    const packed = packPayload(shape.fields, payload, name)
    this.#post({ what: name, frame: [ClientFrame.msg, shape.index, packed], id: null })
  }

  /**
   * Calls an RPC of the room. Rejects with `RequestError`: the room's code, or `E_RPC_TIMEOUT`,
   * `E_DISCONNECTED` (it may or may not have been carried out), `E_RPC_BUSY`.
   */
  async request<N extends Name<ClientRpcsOf<S>>>(
    name: N,
    args: ClientRpcsOf<S>[N]["args"],
    options: { readonly timeoutMs?: number } = {}
  ): Promise<ClientRpcsOf<S>[N]["returns"]> {
    const inbox = this.#inbox
    const shape = inbox.wire.rpc.client.byName.get(name)
    if (shape === undefined) throw unknownName("RPC", name)
    const packed = packPayload(shape.args, args, name)
    const { id, answer } = inbox.requests.add({
      name,
      timeoutMs: options.timeoutMs ?? Limits.clientRequest.ms,
      timedOut: (id) => inbox.outbox.remove((entry) => entry.id === id)
    })
    try {
      this.#post({ what: name, frame: [ClientFrame.rpc, id, shape.index, packed], id })
    } catch (error) {
      inbox.requests.settle(id, { value: undefined })
      throw error
    }
    // The answer was read by the shape that the type is derived from.
    return (await answer) as ClientRpcsOf<S>[N]["returns"]
  }

  /** Says a line to everyone in the room. */
  chat(text: string): void {
    this.#post({ what: "chat", frame: [ClientFrame.chat, text], id: null })
  }

  /** Milliseconds to the room's server and back. Rejects with `RequestError`. */
  async ping(): Promise<number> {
    if (!this.connected) throw new RequestError("E_DISCONNECTED", "ping: no connection")
    const sentAtMs = this.#port.elapsedMs()
    const { id, answer } = this.#inbox.pings.add({
      name: "ping",
      timeoutMs: Limits.clientRequest.ms,
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
    call: (payload: MessagesOf<S>[N]) => void
  ): Unsubscribe
  onMessage(name: string, call: (...args: ReadonlyArray<never>) => void): Unsubscribe {
    // Both overloads are told what their own types say.
    const told = call as (...args: ReadonlyArray<unknown>) => void
    if (name === "*") return this.#inbox.anyMessage.add(told)
    return this.#inbox.messagesOf(name).add(told)
  }

  /** After every welcome and every patch. */
  onStateChange(call: (state: ViewOf<S>) => void): Unsubscribe {
    return this.#inbox.stateChanges.add(() => call(this.state))
  }

  /**
   * Answers an RPC that the room calls; one handler for each. The room learns the code and the
   * text of a RequestError, and of any other throw only that it failed.
   */
  onRequest<N extends Name<ServerRpcsOf<S>>>(
    name: N,
    answer: (
      args: ServerRpcsOf<S>[N]["args"]
    ) => ServerRpcsOf<S>[N]["returns"] | Promise<ServerRpcsOf<S>[N]["returns"]>
  ): Unsubscribe {
    // The arguments were read by the shape that the type is derived from.
    return this.#inbox.answerWith(name, (args) => answer(args as ServerRpcsOf<S>[N]["args"]))
  }

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
   * The end: the client left, was removed, or could not come back.
   *
   * @param call gets a code of `@atrium/domain/CloseCode` or `ClientClose`
   */
  onLeave(call: (code: number, reason: string) => void): Unsubscribe {
    return this.#inbox.leaves.add(call)
  }

  /** Refusals that belong to no request, such as a chat line that is too long. */
  onError(call: (code: string, message: string) => void): Unsubscribe {
    return this.#inbox.errors.add(call)
  }

  #post(post: Post): void {
    const { what, id } = post
    if (this.#session.ended) throw new SendError("E_LEFT", `${what}: the room was left`)
    const body = encodePost(post)
    if (body.byteLength > Limits.frameBytes.max) {
      const text = `${what}: ${body.byteLength} bytes, at most ${Limits.frameBytes.max}`
      throw new SendError("E_FRAME_TOO_LARGE", text)
    }
    if (this.#session.joined) {
      if (id !== null) this.#inbox.requests.sent(id)
      this.#session.send(body)
    } else if (!this.#inbox.outbox.push({ body, id, packedBy: this.#inbox.wire })) {
      throw new SendError("E_QUEUE_FULL", `${what}: too much waits for the connection`)
    }
  }
}

interface Post {
  readonly what: string
  readonly frame: ReadonlyArray<unknown>
  /** Of a request, else `null`. */
  readonly id: number | null
}

const encodePost = ({ what, frame }: Post): Uint8Array<ArrayBuffer> => {
  try {
    return encodeFrame(frame)
  } catch (error) {
    if (!(error instanceof MsgpackError)) throw error
    throw new SendError("E_NOT_PLAIN", `${what}: ${error.message}`)
  }
}

const unknownName = (kind: string, name: string): SendError =>
  new SendError("E_UNKNOWN_NAME", `${name}: the schema has no such ${kind}`)

import { packMsgpack, unpackMsgpack } from "./Msgpack.ts"
import type { RelayOp, RelayRecord, RoomConversation, RoomEvent, RoomHello } from "./RoomCodec.ts"
import { WireState } from "./WireState.ts"
import {
  type Descriptor,
  packRecord,
  type Payload,
  type Row,
  schemaHashOf,
  unpackRecord
} from "./WireValues.ts"

const toService = {
  hello: 1,
  message: 2,
  call: 3,
  chat: 4,
  ping: 5,
  result: 6,
  write: 7,
  own: 8,
  ownAnswer: 9,
  send: 10,
  voice: 11
} as const
const fromService = {
  welcome: 16,
  patch: 17,
  message: 18,
  result: 19,
  chat: 20,
  error: 21,
  pong: 22,
  call: 23,
  ack: 24,
  ownResult: 25,
  ownAsk: 26,
  sent: 27,
  voice: 28
} as const

/** Options of a conversation. The suite itself needs none of them. */
export interface ConversationOptions {
  /** Keeps a copy of the room's state. */
  readonly follows?: boolean
  /** The descriptor that an earlier welcome brought: its hash spares the service another. */
  readonly known?: Descriptor
}

/**
 * The protocol as somebody writes it from docs/protocol.md alone, for any schema: it takes the
 * descriptor out of the welcome.
 */
export class ConversationV1 implements RoomConversation {
  readonly #follows: boolean
  #schema: Descriptor | null
  #state: WireState | null = null
  #tick = 0
  readonly #called = new Map<number, number>()

  constructor({ follows = false, known }: ConversationOptions = {}) {
    this.#follows = follows
    this.#schema = known ?? null
  }

  get schema(): Descriptor {
    if (this.#schema === null) throw new Error("no welcome has brought the descriptor")
    return this.#schema
  }

  /** The room's state, of a conversation that follows it. */
  get state(): WireState {
    if (this.#state === null) throw new Error("no state is followed")
    return this.#state
  }

  /** All values of a singleton of it. */
  singleton(name: string): Row {
    return this.state.singletons[placeOf(this.schema.singletons, name)]?.row ?? {}
  }

  hello({ token, type, resume }: RoomHello): Uint8Array {
    const hash = this.#schema === null ? null : schemaHashOf(this.#schema)
    return packMsgpack([toService.hello, token, type, hash, resume])
  }

  message(name: string, value: unknown): Uint8Array {
    const index = placeOf(this.schema.messages, name)
    const fields = this.schema.messages[index]?.fields ?? "untyped"
    return packMsgpack([toService.message, index, packed(fields, value)])
  }

  call({ id, name, args }: Parameters<RoomConversation["call"]>[0]): Uint8Array {
    const index = placeOf(this.schema.rpc.client, name)
    this.#called.set(id, index)
    const fields = this.schema.rpc.client[index]?.args ?? []
    return packMsgpack([toService.call, id, index, packed(fields, args)])
  }

  /** Answers a call of the room. */
  result({ id, name, value }: { readonly id: number } & NamedValue): Uint8Array {
    const { returns = [] } = this.schema.rpc.server[placeOf(this.schema.rpc.server, name)] ?? {}
    return packMsgpack([toService.result, id, true, packed(returns, value)])
  }

  chat(line: string): Uint8Array {
    return packMsgpack([toService.chat, line])
  }

  ping(): Uint8Array {
    return packMsgpack([toService.ping, 1])
  }

  write({ id, ops }: Parameters<RoomConversation["write"]>[0]): Uint8Array {
    return packMsgpack([toService.write, id, ops.map(opOf)])
  }

  own({ collection, key }: RelayRecord): Uint8Array {
    return packMsgpack([toService.own, collection, key])
  }

  ownAnswer({ request, granted }: Parameters<RoomConversation["ownAnswer"]>[0]): Uint8Array {
    return packMsgpack([toService.ownAnswer, request, granted])
  }

  send({ to, data }: Parameters<RoomConversation["send"]>[0]): Uint8Array {
    return packMsgpack([toService.send, to, data])
  }

  voiceJoin(offer: string): Uint8Array {
    return packMsgpack([toService.voice, "join", offer])
  }

  voiceLeave(): Uint8Array {
    return packMsgpack([toService.voice, "leave"])
  }

  decode(bytes: Uint8Array): RoomEvent {
    const frame: unknown = unpackMsgpack(bytes)
    if (!Array.isArray(frame)) throw new Error("a frame that is no array")
    const [type, ...fields]: ReadonlyArray<unknown> = frame
    switch (type) {
      case fromService.welcome:
        return this.#welcome(fields)
      case fromService.patch:
        return this.#patch(fields)
      case fromService.message: {
        const message = this.schema.messages[numberOf(fields[0])]
        const value = unpacked(message?.fields ?? "untyped", fields[1])
        return { kind: "message", name: textOf(message?.name), value }
      }
      case fromService.result:
        return this.#result(fields)
      case fromService.chat:
        return { kind: "chat", from: textOf(fields[0]), line: textOf(fields[1]) }
      case fromService.error:
        return errorOf(fields)
      case fromService.pong:
        return { kind: "pong" }
      case fromService.call: {
        const rpc = this.schema.rpc.server[numberOf(fields[1])]
        const args = unpacked(rpc?.args ?? [], fields[2])
        return { kind: "call", id: numberOf(fields[0]), name: textOf(rpc?.name), args }
      }
      case fromService.voice:
        return voiceEventOf(fields)
      default:
        return relayEventOf(type, fields)
    }
  }

  #welcome(fields: ReadonlyArray<unknown>): RoomEvent {
    const [clientId, roomId, version, tick, state, audience, resume, schema, playerId] = fields
    const relay = fields[9]
    // It is the service's own; a client of the protocol trusts what it says of its layout.
    if (schema !== null && schema !== undefined) this.#schema = schema as Descriptor
    this.#tick = numberOf(tick)
    this.#called.clear()
    const bytes = bytesOf(state)
    if (this.#follows) {
      this.#state = new WireState(this.schema)
      this.#state.applyFull(bytes)
    }
    return {
      kind: "welcome",
      clientId: textOf(clientId),
      roomId: textOf(roomId),
      playerId: textOf(playerId),
      version: numberOf(version),
      resume: textOf(resume),
      stateBytes: bytes.length,
      audience: audience === true,
      described: schema !== null && schema !== undefined,
      relay: relay === true
    }
  }

  #patch([tick, delta]: ReadonlyArray<unknown>): RoomEvent {
    const bytes = bytesOf(delta)
    if (this.#state !== null) {
      if (tick !== this.#tick + 1) throw new Error(`patch ${String(tick)} after ${this.#tick}`)
      this.#tick += 1
      this.#state.applyDelta(bytes)
    }
    return { kind: "patch", bytes: bytes.length }
  }

  #result([number, ok, value]: ReadonlyArray<unknown>): RoomEvent {
    const id = numberOf(number)
    const { returns = [] } = this.schema.rpc.client[this.#called.get(id) ?? -1] ?? {}
    this.#called.delete(id)
    if (ok === true) return { kind: "answer", id, value: unpacked(returns, value) }
    if (ok !== false || !Array.isArray(value)) throw new Error("an answer without its outcome")
    const [code, message]: ReadonlyArray<unknown> = value
    return { kind: "refusal", id, code: textOf(code), message: textOf(message) }
  }
}

interface NamedValue {
  readonly name: string
  readonly value: unknown
}

const packed = (fields: Payload, value: unknown): unknown =>
  fields === "untyped" ? (value ?? null) : packRecord(fields, rowOf(value))

const unpacked = (fields: Payload, value: unknown): unknown =>
  fields === "untyped" ? (value ?? null) : unpackRecord(fields, bytesOf(value))

const rowOf = (value: unknown): Row => Object.fromEntries(Object.entries(Object(value)))

const errorOf = ([code, message, re]: ReadonlyArray<unknown>): RoomEvent => ({
  kind: "error",
  code: textOf(code),
  message: textOf(message),
  re: typeof re === "number" ? re : null
})

const voiceEventOf = ([op, first, second]: ReadonlyArray<unknown>): RoomEvent => {
  if (op === "joined") return { kind: "voiceJoined", answer: textOf(first) }
  if (op === "ended") return { kind: "voiceEnded" }
  if (op === "call" && Array.isArray(first)) {
    return { kind: "voiceParticipants", clientIds: first.map(textOf) }
  }
  if (op !== "refused") return { kind: "voice" }
  return { kind: "voiceRefused", code: textOf(first), message: textOf(second) }
}

const relayEventOf = (type: unknown, fields: ReadonlyArray<unknown>): RoomEvent => {
  switch (type) {
    case fromService.ack:
      return { kind: "ack", id: numberOf(fields[0]), keys: numbersOf(fields[1]) }
    case fromService.ownResult:
      return { kind: "ownResult", record: recordOf(fields), granted: fields[2] === true }
    case fromService.ownAsk: {
      const [request, ...record] = fields
      const from = textOf(fields[3])
      return { kind: "ownAsk", request: numberOf(request), record: recordOf(record), from }
    }
    case fromService.sent:
      return { kind: "sent", from: textOf(fields[0]), data: fields[1] ?? null }
    default:
      return { kind: "other" }
  }
}

const recordOf = ([collection, key]: ReadonlyArray<unknown>): RelayRecord => ({
  collection: textOf(collection),
  key: numberOf(key)
})

const opOf = (op: RelayOp): object => {
  switch (op.op) {
    case "add":
      return { op: op.op, c: op.collection, v: op.fields }
    case "set":
      return { op: op.op, c: op.collection, k: op.key, v: op.fields }
    case "remove":
      return { op: op.op, c: op.collection, k: op.key }
  }
}

const placeOf = (list: ReadonlyArray<{ readonly name: string }>, name: string): number => {
  const place = list.findIndex((one) => one.name === name)
  if (place < 0) throw new Error(`the room's schema has no ${name}`)
  return place
}

const textOf = (value: unknown): string => {
  if (typeof value !== "string") throw new Error(`a frame with ${typeof value} for text`)
  return value
}

const numberOf = (value: unknown): number => {
  if (typeof value !== "number") throw new Error(`a frame with ${typeof value} for a number`)
  return value
}

const numbersOf = (value: unknown): ReadonlyArray<number> => {
  if (!Array.isArray(value)) throw new Error("a frame without its list")
  return value.map(numberOf)
}

const bytesOf = (value: unknown): Uint8Array => {
  if (!(value instanceof Uint8Array)) throw new Error("a frame without its bytes")
  return value
}

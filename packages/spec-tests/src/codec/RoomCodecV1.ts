import { createHmac } from "node:crypto"

import { decode, encode } from "@msgpack/msgpack"

import type {
  JoinClaims,
  RelayOp,
  RelayRecord,
  RoomCodec,
  RoomConversation,
  RoomEvent,
  RoomHello
} from "./RoomCodec.ts"

// Written from docs/protocol.md. Values are untyped, so that no schema is needed to read them.

const toService = {
  hello: 1,
  message: 2,
  call: 3,
  chat: 4,
  ping: 5,
  write: 7,
  own: 8,
  ownAnswer: 9,
  send: 10
} as const
const fromService = {
  welcome: 16,
  patch: 17,
  message: 18,
  result: 19,
  chat: 20,
  error: 21,
  pong: 22,
  ack: 24,
  ownResult: 25,
  ownAsk: 26,
  sent: 27
} as const

/** D-24: one msgpack array for each WebSocket message. */
export const roomCodecV1: RoomCodec = {
  subprotocol: "rooms.v1",
  closes: {
    handshakeTimeout: 4408,
    roomFull: 4409,
    unauthenticated: 4401,
    projectMismatch: 4403,
    roomCrashed: 1011,
    tenantWaking: 4503
  },
  path: (project, room) => `/v1/rooms/${project}/${encodeURIComponent(room)}`,
  credential: (secret, claims) => {
    const signed = `${jsonPart({ alg: "HS256", typ: "JWT" })}.${jsonPart(claimsOf(claims))}`
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
  },
  conversation: () => new Conversation()
}

const jsonPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const claimsOf = ({ project, player, room = "*", role, issuedAtMs, expiresAtMs }: JoinClaims) => ({
  iss: project,
  aud: "rooms",
  sub: player,
  room,
  ...(role === undefined ? {} : { role }),
  iat: Math.floor(issuedAtMs / 1000),
  exp: Math.floor(expiresAtMs / 1000)
})

class Conversation implements RoomConversation {
  #messages: ReadonlyArray<string> = []
  #calls: ReadonlyArray<string> = []

  hello({ token, type, resume }: RoomHello): Uint8Array {
    return encode([toService.hello, token, type, null, resume])
  }

  message(name: string, value: unknown): Uint8Array {
    return encode([toService.message, placeOf(this.#messages, name), value])
  }

  call({ id, name, args }: Parameters<RoomConversation["call"]>[0]): Uint8Array {
    return encode([toService.call, id, placeOf(this.#calls, name), args ?? null])
  }

  chat(line: string): Uint8Array {
    return encode([toService.chat, line])
  }

  ping(): Uint8Array {
    return encode([toService.ping, 1])
  }

  write({ id, ops }: Parameters<RoomConversation["write"]>[0]): Uint8Array {
    return encode([toService.write, id, ops.map(opOf)])
  }

  own({ collection, key }: RelayRecord): Uint8Array {
    return encode([toService.own, collection, key])
  }

  ownAnswer({ request, granted }: Parameters<RoomConversation["ownAnswer"]>[0]): Uint8Array {
    return encode([toService.ownAnswer, request, granted])
  }

  send({ to, data }: Parameters<RoomConversation["send"]>[0]): Uint8Array {
    return encode([toService.send, to, data])
  }

  decode(bytes: Uint8Array): RoomEvent {
    const frame: unknown = decode(bytes)
    if (!Array.isArray(frame)) throw new Error("a frame that is no array")
    const [type, ...fields]: ReadonlyArray<unknown> = frame
    switch (type) {
      case fromService.welcome:
        return this.#welcome(fields)
      case fromService.patch:
        return { kind: "patch", bytes: bytesOf(fields[1]) }
      case fromService.message: {
        const name = this.#messages[numberOf(fields[0])]
        return { kind: "message", name: textOf(name), value: fields[1] ?? null }
      }
      case fromService.result:
        return resultOf(fields)
      case fromService.chat:
        return { kind: "chat", from: textOf(fields[0]), line: textOf(fields[1]) }
      case fromService.error:
        return errorOf(fields)
      case fromService.pong:
        return { kind: "pong" }
      default:
        return relayEventOf(type, fields)
    }
  }

  #welcome(fields: ReadonlyArray<unknown>): RoomEvent {
    const [clientId, roomId, version, , state, audience, resume, schema, playerId] = fields
    const { messages, rpc }: { messages?: unknown; rpc?: unknown } = Object(schema)
    this.#messages = namesOf(messages)
    this.#calls = namesOf(Object(rpc)["client"])
    return {
      kind: "welcome",
      clientId: textOf(clientId),
      roomId: textOf(roomId),
      playerId: textOf(playerId),
      version: numberOf(version),
      resume: textOf(resume),
      stateBytes: bytesOf(state),
      audience: audience === true
    }
  }
}

const errorOf = ([code, message, re]: ReadonlyArray<unknown>): RoomEvent => ({
  kind: "error",
  code: textOf(code),
  message: textOf(message),
  re: typeof re === "number" ? re : null
})

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

const resultOf = (fields: ReadonlyArray<unknown>): RoomEvent => {
  const [id, ok, value] = fields
  if (ok === true) return { kind: "answer", id: numberOf(id), value: value ?? null }
  if (ok !== false || !Array.isArray(value)) throw new Error("an answer without its outcome")
  const [code, message]: ReadonlyArray<unknown> = value
  return { kind: "refusal", id: numberOf(id), code: textOf(code), message: textOf(message) }
}

const placeOf = (names: ReadonlyArray<string>, name: string): number => {
  const place = names.indexOf(name)
  if (place < 0) throw new Error(`the room's schema has no ${name}`)
  return place
}

const namesOf = (list: unknown): ReadonlyArray<string> => {
  if (!Array.isArray(list)) return []
  return list.map((shape: unknown) => textOf(Object(shape)["name"]))
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

const bytesOf = (value: unknown): number => {
  if (!(value instanceof Uint8Array)) throw new Error("a frame without its bytes")
  return value.byteLength
}

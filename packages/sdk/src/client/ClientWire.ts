import { ServerFrame } from "@atrium/wire/frames/Frame"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

/** A frame of the service, taken apart. Numbers and layouts: `@atrium/domain/Frame`. */
export type ServerMessage =
  | WelcomeMessage
  | { readonly _tag: "patch"; readonly tick: number; readonly delta: Uint8Array }
  | { readonly _tag: "msg"; readonly index: number; readonly payload: unknown }
  | {
      readonly _tag: "rpcResult"
      readonly id: number
      readonly ok: boolean
      readonly value: unknown
    }
  | { readonly _tag: "chat"; readonly from: string; readonly text: string }
  | {
      readonly _tag: "error"
      readonly code: string
      readonly message: string
      /** The number of what it refuses, where that has one. */
      readonly re: number | null
    }
  | { readonly _tag: "pong"; readonly echo: unknown }
  | { readonly _tag: "rpc"; readonly id: number; readonly index: number; readonly args: unknown }
  | RelayMessage
  /** Of the room's call, which `@atrium/sdk/voice` reads. */
  | { readonly _tag: "voice"; readonly frame: ReadonlyArray<unknown> }
  | { readonly _tag: "unknown" }

/** Frames of relay rooms alone. */
export type RelayMessage =
  | { readonly _tag: "ack"; readonly id: number; readonly keys: ReadonlyArray<number> }
  | {
      readonly _tag: "ownResult"
      readonly collection: string
      readonly key: number
      readonly granted: boolean
    }
  | {
      readonly _tag: "ownAsk"
      readonly request: number
      readonly collection: string
      readonly key: number
      readonly from: string
    }
  | { readonly _tag: "sent"; readonly from: string; readonly data: unknown }

/** What a restart of the room has undone. */
export interface RoomRestart {
  /** How old the state was that the room went back to, milliseconds: so much play is lost. */
  readonly staleMs: number
}

export interface WelcomeMessage {
  readonly _tag: "welcome"
  readonly clientId: string
  readonly roomId: string
  readonly version: number
  readonly tick: number
  readonly state: Uint8Array
  readonly audience: boolean
  readonly resume: string
  /** The room's schema descriptor, when it is not the client's. */
  readonly schema: unknown
  readonly playerId: string
  /** The room runs no code. A service that does not say so runs it. */
  readonly relay: boolean
  /** The room was started again while the client was in it: how old the state is that it went back to. */
  readonly staleMs: number | null
}

/** A msgpack value that is no frame of the protocol. */
export class WireError extends Error {
  override readonly name = "WireError"
}

/** Throws `MsgpackError` for what msgpack cannot carry. */
export const encodeFrame = (frame: ReadonlyArray<unknown>): Uint8Array<ArrayBuffer> =>
  packValue(frame)

/** Reads one frame; throws as `decodeArray`. An unknown type is no error: the protocol may grow. */
export const decodeFrame = (bytes: Uint8Array): ServerMessage => {
  const frame = decodeArray(bytes)
  const fields = new Fields(frame)
  switch (frame[0]) {
    case ServerFrame.welcome:
      return welcome(fields)
    case ServerFrame.patch:
      return { _tag: "patch", tick: fields.whole(1), delta: fields.bytes(2) }
    case ServerFrame.msg:
      return { _tag: "msg", index: fields.whole(1), payload: fields.any(2) }
    case ServerFrame.rpcResult:
      return { _tag: "rpcResult", id: fields.whole(1), ok: fields.bool(2), value: fields.any(3) }
    case ServerFrame.chat:
      return { _tag: "chat", from: fields.text(1), text: fields.text(2) }
    case ServerFrame.error:
      return {
        _tag: "error",
        code: fields.text(1),
        message: fields.text(2),
        re: numberIn(frame[3])
      }
    case ServerFrame.pong:
      return { _tag: "pong", echo: fields.any(1) }
    case ServerFrame.rpc:
      return { _tag: "rpc", id: fields.whole(1), index: fields.whole(2), args: fields.any(3) }
    case ServerFrame.voice:
      return { _tag: "voice", frame }
    default:
      return relayMessage(frame[0], fields)
  }
}

const relayMessage = (type: unknown, fields: Fields): ServerMessage => {
  switch (type) {
    case ServerFrame.ack:
      return { _tag: "ack", id: fields.whole(1), keys: fields.wholes(2) }
    case ServerFrame.ownResult: {
      const [collection, key] = [fields.text(1), fields.whole(2)]
      return { _tag: "ownResult", collection, key, granted: fields.bool(3) }
    }
    case ServerFrame.ownAsk: {
      const [request, collection, key] = [fields.whole(1), fields.text(2), fields.whole(3)]
      return { _tag: "ownAsk", request, collection, key, from: fields.text(4) }
    }
    case ServerFrame.sent:
      return { _tag: "sent", from: fields.text(1), data: fields.any(2) }
    default:
      return { _tag: "unknown" }
  }
}

const numberIn = (value: unknown): number | null => (typeof value === "number" ? value : null)

const isWhole = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

/** The elements of a frame, of the client or of the service. Throws `MsgpackError` or `WireError`. */
export const decodeArray = (bytes: Uint8Array): ReadonlyArray<unknown> => {
  const frame: unknown = unpackValue(bytes)
  if (!Array.isArray(frame)) throw new WireError("a frame is not an array")
  return frame
}

const welcome = (fields: Fields): WelcomeMessage => ({
  _tag: "welcome",
  clientId: fields.text(1),
  roomId: fields.text(2),
  version: fields.whole(3),
  tick: fields.whole(4),
  state: fields.bytes(5),
  audience: fields.bool(6),
  resume: fields.text(7),
  schema: fields.any(8),
  playerId: fields.text(9),
  relay: fields.any(10) === true,
  staleMs: numberIn(fields.any(11))
})

class Fields {
  readonly #frame: ReadonlyArray<unknown>

  constructor(frame: ReadonlyArray<unknown>) {
    this.#frame = frame
  }

  any(at: number): unknown {
    return this.#frame[at] ?? null
  }

  whole(at: number): number {
    const value = this.#frame[at]
    if (isWhole(value)) return value
    throw this.#wrong(at, "a whole number")
  }

  wholes(at: number): ReadonlyArray<number> {
    const value = this.#frame[at]
    if (Array.isArray(value) && value.every(isWhole)) return value
    throw this.#wrong(at, "a list of whole numbers")
  }

  text(at: number): string {
    const value = this.#frame[at]
    if (typeof value === "string") return value
    throw this.#wrong(at, "a string")
  }

  bool(at: number): boolean {
    const value = this.#frame[at]
    if (typeof value === "boolean") return value
    throw this.#wrong(at, "a boolean")
  }

  bytes(at: number): Uint8Array {
    const value = this.#frame[at]
    if (value instanceof Uint8Array) return value
    throw this.#wrong(at, "binary")
  }

  #wrong(at: number, wanted: string): WireError {
    return new WireError(`frame ${String(this.#frame[0])}: field ${at} is not ${wanted}`)
  }
}

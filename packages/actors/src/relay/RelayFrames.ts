import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { MsgpackError, MsgpackReader, type Plain } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { NoValue, valueEnd } from "./MsgpackEnd.ts"
import type { OwnershipNotice } from "./RelayState.ts"

/** A client's frame to a relay room. A `send` is none of them: its data is not read. */
export type RelayFrame =
  | { readonly _tag: "Write"; readonly id: number; readonly ops: Plain }
  | { readonly _tag: "Own"; readonly collection: string; readonly key: number }
  | { readonly _tag: "OwnAnswer"; readonly request: number; readonly granted: boolean }

/** Errors: {@link MsgpackError}. */
export const readRelayFrame = (frame: Uint8Array): RelayFrame => {
  const reader = new MsgpackReader(frame)
  const fields: Array<Plain> = []
  for (let left = reader.arrayLength(); left > 0; left--) fields.push(reader.value(1))
  if (!reader.done) throw new MsgpackError("bytes are left over after a frame")
  const [type, first = null, second = null] = fields
  switch (type) {
    case ClientFrame.write:
      return { _tag: "Write", id: whole(first, "the id of a write"), ops: second }
    case ClientFrame.own:
      if (typeof first !== "string") throw new MsgpackError("own: the collection is no text")
      return { _tag: "Own", collection: first, key: whole(second, "own: the key") }
    case ClientFrame.ownAnswer:
      return { _tag: "OwnAnswer", request: whole(first, "the request"), granted: second === true }
    default:
      throw new MsgpackError("a frame of a type that relay rooms do not take")
  }
}

/** How many ops a write has, told without reading them; 0 = it is no write. */
export const opsIn = (frame: Uint8Array): number => {
  try {
    const reader = new MsgpackReader(frame)
    if (reader.arrayLength() < 3 || reader.value(1) !== ClientFrame.write) return 0
    reader.value(1)
    return reader.arrayLength()
  } catch {
    return 0
  }
}

/** The first field of a frame that is not read whole, if it is a u32. */
export const firstField = (frame: Uint8Array): number | null => {
  try {
    const reader = new MsgpackReader(frame)
    if (reader.arrayLength() < 2) return null
    reader.value(1)
    return whole(reader.value(1), "the first field")
  } catch {
    return null
  }
}

const whole = (value: Plain, what: string): number => {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff) {
    return value
  }
  throw new MsgpackError(`${what} is not a u32`)
}

/** Where the parts of a `send` lie. Used again for each one, as every message passes it. */
export class SendFrame {
  /** To whom; `null` = to all others. */
  to: ReadonlyArray<string> | null = null
  /** The bytes of the data; none = nil. */
  from = 0
  end = 0

  /** @returns false when the frame is malformed */
  read(frame: Uint8Array): boolean {
    this.to = null
    this.from = this.end = 0
    const fields = (frame[0] ?? 0) & 0x0f
    let at = 2
    if (fields > 1) {
      const end = valueEnd(frame, at, 1)
      if (end === NoValue || !this.#readTo(frame, at, end)) return false
      at = end
    }
    if (fields > 2) {
      this.from = at
      at = this.end = valueEnd(frame, at, 1)
    }
    for (let field = 3; field < fields && at !== NoValue; field++) at = valueEnd(frame, at, 1)
    return at === frame.length
  }

  #readTo(frame: Uint8Array, from: number, end: number): boolean {
    if (frame[from] === 0xc0) return true
    const list: unknown = new MsgpackReader(frame.subarray(from, end)).value(1)
    if (!Array.isArray(list)) return false
    const ids = list.filter((id) => typeof id === "string")
    this.to = ids
    return ids.length === list.length
  }
}

/** Encoders of what only relay rooms send. */
export const RelayFrames = {
  ack: (id: number, keys: ReadonlyArray<number>): Uint8Array =>
    packValue([ServerFrame.ack, id, keys]),
  notice: (notice: OwnershipNotice): Uint8Array =>
    notice._tag === "AnswerOwnership"
      ? packValue([ServerFrame.ownResult, notice.collection, notice.key, notice.granted])
      : packValue([
          ServerFrame.ownAsk,
          notice.request,
          notice.collection,
          notice.key,
          notice.asker
        ]),
  /** The bytes before the data of every message of a client. */
  sentHead: (fromClientId: string): Uint8Array =>
    // An array of three, of which the data is the last.
    packValue([ServerFrame.sent, fromClientId, null]).slice(0, -1),
  /** A frame of its own for each message, shared by all that get it. */
  sent: (head: Uint8Array, frame: Uint8Array, { from, end }: SendFrame): Uint8Array => {
    const bytes = end - from
    const sent = Buffer.allocUnsafe(head.length + Math.max(1, bytes))
    sent.set(head)
    if (bytes === 0) sent[head.length] = nil
    else sent.set(frame.subarray(from, end), head.length)
    return sent
  }
} as const

const nil = 0xc0

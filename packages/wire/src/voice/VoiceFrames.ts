import { ClientFrame, ServerFrame } from "../frames/Frame.ts"
import { unpackValue } from "../msgpack/MsgpackReader.ts"
import { packValue } from "../msgpack/MsgpackWriter.ts"

/**
 * The frames by which a client and the call of its room find each other: `[type, op, ...fields]`. SDP travels
 * whole, and candidates within it. Source: D-59, docs/protocol.md.
 */

/** What a client asks. */
export type VoiceAsk =
  /** SDP of a connection whose microphone sends, with a line that receives for each slot. */
  | { readonly _tag: "join"; readonly offer: string }
  /** The answer to the last `offer` of the call. */
  | { readonly _tag: "answer"; readonly answer: string }
  | { readonly _tag: "leave" }

/** What a call tells. Participants are named by their `clientId`. */
export type VoiceTold =
  | { readonly _tag: "joined"; readonly answer: string }
  /** SDP of a further connection, whose lines are the slots; again, when its lines have changed. */
  | { readonly _tag: "offer"; readonly offer: string }
  /** The speakers by slot; `null` = nobody. */
  | { readonly _tag: "slots"; readonly speakers: ReadonlyArray<string | null> }
  /** All who are in the call. */
  | { readonly _tag: "call"; readonly participants: ReadonlyArray<string> }
  | { readonly _tag: "refused"; readonly code: string; readonly message: string }
  /** The client is in the call no more, by no wish of its own: it may join again. */
  | { readonly _tag: "ended" }

export const packVoiceAsk = (ask: VoiceAsk): Uint8Array<ArrayBuffer> =>
  packValue([ClientFrame.voice, ask._tag, ...fieldsOf(ask)])

export const packVoiceTold = (told: VoiceTold): Uint8Array<ArrayBuffer> =>
  packValue([ServerFrame.voice, told._tag, ...fieldsOf(told)])

const fieldsOf = (frame: VoiceAsk | VoiceTold): ReadonlyArray<unknown> => {
  switch (frame._tag) {
    case "join":
    case "offer":
      return [frame.offer]
    case "answer":
    case "joined":
      return [frame.answer]
    case "slots":
      return [frame.speakers]
    case "call":
      return [frame.participants]
    case "refused":
      return [frame.code, frame.message]
    case "leave":
    case "ended":
      return []
  }
}

/** Reads a client's frame. @returns `null` = it is none. Never throws. */
export const readVoiceAsk = (bytes: Uint8Array): VoiceAsk | null => {
  const [op, text] = elementsOf(bytes)
  if (op === "leave") return { _tag: op }
  if (typeof text !== "string") return null
  if (op === "join") return { _tag: op, offer: text }
  return op === "answer" ? { _tag: op, answer: text } : null
}

/** Reads what a call tells. @returns `null` = this version does not know it. Never throws. */
export const readVoiceTold = (bytes: Uint8Array): VoiceTold | null => voiceToldOf(elementsOf(bytes))

/** The same of a frame that is taken apart, without its type. */
export const voiceToldOf = ([op, first, second]: ReadonlyArray<unknown>): VoiceTold | null => {
  switch (op) {
    case "joined":
      return typeof first === "string" ? { _tag: op, answer: first } : null
    case "offer":
      return typeof first === "string" ? { _tag: op, offer: first } : null
    case "slots":
      return Array.isArray(first) && first.every(isSpeaker) ? { _tag: op, speakers: first } : null
    case "call":
      return Array.isArray(first) && first.every(isText) ? { _tag: op, participants: first } : null
    case "refused":
      return isText(first) && isText(second) ? { _tag: op, code: first, message: second } : null
    case "ended":
      return { _tag: op }
    default:
      return null
  }
}

const isText = (value: unknown): value is string => typeof value === "string"
const isSpeaker = (value: unknown): value is string | null => value === null || isText(value)

/** The elements of a frame behind its type. */
const elementsOf = (bytes: Uint8Array): ReadonlyArray<unknown> => {
  try {
    const frame: unknown = unpackValue(bytes)
    return Array.isArray(frame) ? frame.slice(1) : []
  } catch {
    return []
  }
}

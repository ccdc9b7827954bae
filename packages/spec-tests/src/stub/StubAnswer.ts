import type { Misbehaviour } from "./Misbehaviours.ts"

/** The request to a handler of the stub. */
export interface StubCall {
  readonly method: string
  /** Parts of the path, without the empty first one. */
  readonly parts: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it came; `bodyOf` reads it. */
  readonly text: string
  /** Told by name, so that a test can ask whether the suite sees it. */
  readonly misbehaves: (as: Misbehaviour) => boolean
}

export interface StubAnswer {
  readonly status: number
  /** Absent = no body at all. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal, with the words that the caller reads. */
export class StubRefusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, text: string) {
    super(text)
    this.status = status
    this.code = code
  }
}

const messageBytesMax = 96

/** At most 96 bytes; what is longer ends with an ellipsis behind a whole character. */
export const cutMessage = (text: string, misbehaves: StubCall["misbehaves"]): string => {
  if (misbehaves("long-messages")) return text
  const bytes = Buffer.from(text)
  if (bytes.byteLength <= messageBytesMax) return text
  const ellipsis = misbehaves("three-dots") ? "..." : "…"
  const room = bytes.subarray(0, messageBytesMax - Buffer.byteLength(ellipsis))
  if (misbehaves("cut-in-character")) return `${room.toString("latin1")}${ellipsis}`
  // A cut character would end in the replacement character.
  return `${new TextDecoder().decode(room, { stream: true })}${ellipsis}`
}

/** The fields of a JSON object, nothing else. */
export const bodyOf = (call: StubCall): Readonly<Record<string, unknown>> => {
  let body: unknown
  try {
    body = JSON.parse(call.text)
  } catch {
    throw new StubRefusal(400, "E_BAD_REQUEST", "that is not JSON")
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new StubRefusal(400, "E_BAD_REQUEST", "the body must be an object")
  }
  return { ...body }
}

export const bad = (text: string): StubRefusal => new StubRefusal(400, "E_BAD_REQUEST", text)

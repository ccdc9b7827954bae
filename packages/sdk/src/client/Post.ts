import { MsgpackError } from "@atrium/wire/msgpack/MsgpackReader"

import { SendError } from "./ClientErrors.ts"
import { encodeFrame } from "./ClientWire.ts"
import type { Requests } from "./Requests.ts"

/** Something that a game wants to be sent. */
export interface Post {
  /** The name that errors give the frame. */
  readonly what: string
  readonly frame: ReadonlyArray<unknown>
  /** The call that waits for its answer, if one does. */
  readonly request: { readonly of: Requests; readonly id: number } | null
}

/** Throws `SendError` for what msgpack cannot carry. */
export const encodePost = ({ what, frame }: Post): Uint8Array<ArrayBuffer> => {
  try {
    return encodeFrame(frame)
  } catch (error) {
    if (!(error instanceof MsgpackError)) throw error
    throw new SendError("E_NOT_PLAIN", `${what}: ${error.message}`)
  }
}

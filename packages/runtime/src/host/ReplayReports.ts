import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import { HostFrameError, type PayloadReader } from "./HostFrames.ts"

/** A chunk of the recording that is there to be taken. */
export interface AnnouncedChunk {
  readonly number: number
  /** The room's process ends: there is no further one. */
  readonly last: boolean
}

/** What became of a clip that somebody asked for. */
export type ClipAnswer =
  | { readonly _tag: "Made"; readonly clip: MadeClip }
  | { readonly _tag: "Refused"; readonly code: string; readonly message: string }

/** A clip that is stored. */
interface MadeClip {
  readonly clipId: string
  readonly url: string
  readonly expiresAt: string
}

/** A code of a refusal. */
export const CodePattern = /^E_[A-Z0-9_]+$/

/** Nothing of a clip is believed but that it was made: the service itself has stored it. */
export const clipAnswerIn = (reader: PayloadReader): ClipAnswer => {
  const made = reader.flag()
  const said = plainIn(reader.rest(ReplayLimits.clipAnswerBytes.max))
  if (made) {
    const clip = {
      clipId: textIn(said, "clipId"),
      url: textIn(said, "url"),
      expiresAt: textIn(said, "expiresAt")
    }
    return { _tag: "Made", clip }
  }
  const [code, message] = [textIn(said, "0"), textIn(said, "1")]
  if (!CodePattern.test(code)) throw new HostFrameError("a refusal's code is malformed")
  return { _tag: "Refused", code, message }
}

const plainIn = (bytes: Uint8Array): unknown => {
  try {
    return unpackValue(bytes)
  } catch {
    throw new HostFrameError("an answer is not msgpack")
  }
}

const textIn = (value: unknown, name: string): string => {
  const found: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, name) : null
  if (typeof found !== "string") throw new HostFrameError("an answer about a clip has another form")
  return found
}

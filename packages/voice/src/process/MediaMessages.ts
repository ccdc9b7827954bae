import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

import type { MediaJoin, MediaRefusal } from "../media/VoiceMedia.ts"

/**
 * What the service and its media process say to each other: a line of JSON each. The process believes the
 * service. The service does not believe the process, which reads what strangers send.
 */

/** How the media process is to work. */
export interface MediaSettings {
  /** The address to bind. */
  readonly host: string
  /** The addresses at which clients reach it; empty = those of the machine, or the one that is bound. */
  readonly addresses: ReadonlyArray<string>
  readonly ports: { readonly min: number; readonly max: number }
  /** A Janus that carries the media; `null` = this process does. */
  readonly janus: { readonly url: string; readonly secret: string } | null
}

export type MediaOrder =
  /** The first order. */
  | { readonly order: "begin"; readonly settings: MediaSettings }
  | ({ readonly order: "join"; readonly participant: number } & MediaJoin)
  | { readonly order: "answer"; readonly participant: number; readonly answer: string }
  | { readonly order: "leave"; readonly participant: number }
  | { readonly order: "groups"; readonly participant: number; readonly groups: VoiceGroups }

export type MediaWord =
  | { readonly word: "joined"; readonly participant: number; readonly answer: string }
  | { readonly word: "offered"; readonly participant: number; readonly offer: string }
  | {
      readonly word: "refused"
      readonly participant: number
      readonly code: MediaRefusal["code"]
      readonly message: string
    }
  | {
      readonly word: "slots"
      readonly participant: number
      readonly speakers: ReadonlyArray<number | null>
    }

export const lineOf = (said: MediaOrder | MediaWord): string => `${JSON.stringify(said)}\n`

/** Reads a line of the service. */
export const readOrder = (line: string): MediaOrder =>
  // Written by the service of the same version.
  JSON.parse(line) as MediaOrder

/** Reads a line of the process. @returns `null` = no process of ours says that */
export const readWord = (line: string): MediaWord | null => {
  const said = recordIn(line)
  const participant = said?.["participant"]
  if (said === null || typeof participant !== "number") return null
  const { word, answer, offer, code, message, speakers } = said
  switch (word) {
    case "joined":
      return isSdp(answer) ? { word, participant, answer } : null
    case "offered":
      return isSdp(offer) ? { word, participant, offer } : null
    case "refused":
      return isCode(code) && typeof message === "string"
        ? { word, participant, code, message }
        : null
    case "slots":
      return areSpeakers(speakers) ? { word, participant, speakers } : null
    default:
      return null
  }
}

const recordIn = (line: string): Readonly<Record<string, unknown>> | null => {
  try {
    const said: unknown = JSON.parse(line)
    return typeof said === "object" && said !== null ? { ...said } : null
  } catch {
    return null
  }
}

const isSdp = (value: unknown): value is string =>
  typeof value === "string" && value.length <= VoiceLimits.voiceSdpBytes.max
const isCode = (value: unknown): value is MediaRefusal["code"] =>
  value === "E_VOICE_FULL" || value === "E_BAD_MESSAGE"
const areSpeakers = (value: unknown): value is ReadonlyArray<number | null> =>
  Array.isArray(value) &&
  value.length <= VoiceLimits.voiceSlots.max &&
  value.every((speaker) => speaker === null || typeof speaker === "number")

import { openReplay, type Replay } from "@atrium/sdk/replay"
import type { AnyRoomSchema } from "@atrium/sdk/schema"

import type { Refusal } from "../service/Service.ts"

/** A replay of any game. */
export type AnyReplay = Replay<AnyRoomSchema>

/** What the page shows. */
export type Shown =
  | { readonly _tag: "Opening" }
  | { readonly _tag: "Open"; readonly replay: AnyReplay }
  /** It has expired, was deleted, or never was: nobody can tell. */
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }

/** Opens the replay of an address of this page. */
export const shownOf = async (address: string): Promise<Shown> => {
  try {
    return { _tag: "Open", replay: await openReplay(address) }
  } catch (error) {
    const { code, message } = Object(error)
    // An address that is none has no code.
    if (code === undefined || code === "E_NOT_FOUND") return { _tag: "Gone" }
    return { _tag: "Refused", refusal: refusalOf(String(code), String(message)) }
  }
}

export const refusalOf = (code: string, message: string): Refusal => ({
  _tag: "Refused",
  status: 0,
  code,
  message,
  retryAfterMs: null
})

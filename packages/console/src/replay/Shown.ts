import { openReplay, type Replay } from "@atrium/sdk/replay"
import type { AnyRoomSchema } from "@atrium/sdk/schema"

import { ownRefusal, type Refusal } from "../service/Service.ts"

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
    const { code = "unknown", message } = Object(error)
    if (code === "E_NOT_FOUND" || !isAddress(address)) return { _tag: "Gone" }
    return {
      _tag: "Refused",
      refusal: ownRefusal({ code: String(code), message: String(message) })
    }
  }
}

/** Whether an address has the form of a replay's page. */
const isAddress = (address: string): boolean =>
  /^\/replay\/rp_[\w-]{32}$/.test(new URL(address).pathname)

import { createHmac, timingSafeEqual } from "node:crypto"

import type { ExportCursor } from "@atrium/actors/accounts/PlayerData"
import { Option, Schema } from "effect"

/** Where an export goes on, over all ids of the player. */
export interface Place {
  readonly playerId: string
  /** `null` = at the first row of this id. */
  readonly cursor: ExportCursor | null
}

const Written = Schema.fromJsonString(
  Schema.Struct({
    playerId: Schema.String,
    cursor: Schema.NullOr(
      Schema.Struct({
        part: Schema.String,
        after: Schema.Array(Schema.Union([Schema.String, Schema.Finite]))
      })
    )
  })
)
const decode = Schema.decodeUnknownOption(Written)

/** The text of `next`: opaque to those who ask, and signed, as a query is made of it. */
export const placeText = (place: Place, key: Uint8Array): string => {
  const text = Buffer.from(JSON.stringify(place)).toString("base64url")
  return `${text}.${macOf(text, key)}`
}

/** Reads the text; none = the service has not written it with this key. */
export const readPlace = (text: string, key: Uint8Array): Option.Option<Place> => {
  const [place = "", mac = ""] = text.split(".")
  const [told, right] = [Buffer.from(mac), Buffer.from(macOf(place, key))]
  const isOurs = told.length === right.length && timingSafeEqual(told, right)
  return isOurs ? decode(Buffer.from(place, "base64url").toString("utf8")) : Option.none()
}

const macOf = (text: string, key: Uint8Array): string =>
  createHmac("sha256", key).update(`export/${text}`).digest("base64url")

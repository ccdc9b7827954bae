import { FrameLimits } from "../frames/FrameLimits.ts"
import type { SizeLimit } from "../limits/Limit.ts"
import { utf8Length } from "../text/Utf8.ts"
import { KvLimits } from "./KvLimits.ts"

/** A value of JSON. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/** Codes of a key, a player id and a value that are too long. Source: D-36. */
export type KvSizeCode = "E_KV_KEY_TOO_LONG" | "E_KV_PLAYER_ID_TOO_LONG" | "E_KV_VALUE_TOO_LARGE"

/** Why an entry is refused; without a code it does not have the form of one. */
export interface KvFault {
  readonly code: KvSizeCode | null
  readonly message: string
}

/** What is stored of a key: any of it that is given is looked at. */
export interface KvParts {
  readonly player: string
  readonly key?: string
  /** The value as JSON. */
  readonly value?: string
}

/**
 * What is wrong with the parts of an entry, in time linear in their length; `null` = nothing. The process
 * of the room and the service ask the same. Spec: Storage limits; D-36.
 */
export const kvFault = ({ player, key, value }: KvParts): KvFault | null =>
  nameFault("player id", player, {
    limit: FrameLimits.playerIdBytes,
    code: "E_KV_PLAYER_ID_TOO_LONG"
  }) ??
  (key === undefined
    ? null
    : nameFault("key", key, { limit: KvLimits.kvKeyBytes, code: "E_KV_KEY_TOO_LONG" })) ??
  (value === undefined ? null : valueFault(value))

const nameFault = (
  what: string,
  text: string,
  { limit, code }: { readonly limit: SizeLimit; readonly code: KvSizeCode }
): KvFault | null => {
  if (utf8Length(text) > limit.max) return { code, message: `${what}: over ${limit.max} bytes` }
  if (text === "") return { code: null, message: `${what}: empty` }
  return isStorable(text)
    ? null
    : { code: null, message: `${what}: has a zero character or half a surrogate pair` }
}

const valueFault = (value: string): KvFault | null => {
  const { max } = KvLimits.kvValueBytes
  if (utf8Length(value) > max) {
    return { code: "E_KV_VALUE_TOO_LARGE", message: `value: over ${max} bytes of JSON` }
  }
  return isJson(value) ? null : { code: null, message: "value: not JSON" }
}

/** Text that UTF-8 has, without the character that no database holds. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return isStorable(text)
  } catch {
    return false
  }
}

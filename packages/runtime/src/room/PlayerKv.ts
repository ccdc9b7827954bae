import { type JsonValue, kvFault, type KvParts } from "@atrium/wire/kv/KvFault"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { messageOf } from "./ErrorText.ts"
import type { KvItem, KvList, PlayerKv } from "./Room.ts"
import type { RoomClient } from "./RoomClient.ts"
import { RpcError } from "./RpcError.ts"
import type { ServiceCalls } from "./ServiceCalls.ts"

/** `room.kv`: what the service keeps of a player. */
export const playerKvOf =
  (calls: ServiceCalls) =>
  (of: string | RoomClient<AnyRoomSchema>): PlayerKv => {
    const player = typeof of === "string" ? of : of.playerId
    const write = async (key: string, value: JsonValue, expected: number | null) => {
      const json = jsonOf(value)
      fit({ player, key, value: json })
      const version = await calls.call("kv.set", { player, key, value: json, expected })
      return typeof version === "number" ? version : null
    }
    return {
      get: async (key) => {
        fit({ player, key })
        const entry = await calls.call("kv.get", { player, key })
        return entry === null ? null : itemOf(entry)
      },
      set: async (key, value) => (await write(key, value, null)) ?? 0,
      compareAndSet: async (key, value, expected) => write(key, value, versionOf(expected)),
      delete: async (key) => {
        fit({ player, key })
        return (await calls.call("kv.delete", { player, key })) === true
      },
      list: async ({ prefix = "", after = "", limit = KvLimits.kvPageEntries.max } = {}) => {
        for (const key of [prefix, after]) fit(key === "" ? { player } : { player, key })
        const { entries, next } = Object(
          await calls.call("kv.list", { player, prefix, after, limit })
        )
        return { entries: Array.from(entries, keyedOf), next }
      }
    }
  }

const itemOf = (entry: unknown): KvItem => {
  const { value, version } = Object(entry)
  return { value: JSON.parse(value), version }
}

const keyedOf = (entry: unknown): KvList["entries"][number] => ({
  key: Object(entry).key,
  ...itemOf(entry)
})

const fit = (parts: KvParts): void => {
  const fault = kvFault(parts)
  if (fault !== null) {
    throw new RpcError(fault.code ?? RoomRefusals.callInvalid.code, fault.message)
  }
}

const invalid = (message: string): RpcError => new RpcError(RoomRefusals.callInvalid.code, message)

const versionOf = (expected: number): number => {
  if (Number.isSafeInteger(expected) && expected >= 0) return expected
  throw invalid(`version: ${String(expected)} is not one that an entry has; 0 = no entry`)
}

/** What JSON does not have is refused, and not written as something else. */
const plain = (key: string, value: unknown): unknown => {
  if (typeof value !== "number" || Number.isFinite(value)) return value
  throw new TypeError(`${key === "" ? "the value" : key} is ${value}, which JSON does not have`)
}

const jsonOf = (value: unknown): string => {
  try {
    const json = JSON.stringify(value, plain)
    if (typeof json === "string") return json
  } catch (error) {
    throw invalid(`value: ${messageOf(error)}`)
  }
  throw invalid(`value: ${typeof value} is not JSON`)
}

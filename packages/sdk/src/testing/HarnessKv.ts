import { RpcError } from "@atrium/runtime/room/RpcError"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { type KvEntry, kvPage } from "@atrium/wire/kv/KvPage"

import type { HarnessCall } from "./HarnessCalls.ts"

/**
 * The KV of players in memory, with the limits of a player. The room has checked sizes already; the
 * limits of a project, its rates among them, are the service's alone.
 */
export class HarnessKv {
  readonly #players = new Map<string, Map<string, KvEntry>>()
  #version = 0

  readonly calls: Readonly<Record<string, HarnessCall>> = {
    "kv.get": {
      answer: (payload) => {
        const { player, key } = Object(payload)
        return this.#of(player).get(key) ?? null
      }
    },
    "kv.list": {
      answer: (payload) => {
        const { player, ...query } = Object(payload)
        return kvPage(this.#of(player), query)
      }
    },
    "kv.set": {
      answer: (payload) => {
        const { player, key, value, expected } = Object(payload)
        const entries = this.#of(player)
        const stored = entries.get(key)
        if (expected !== null && expected !== (stored?.version ?? 0)) return null
        const { max } = KvLimits.kvKeys
        if (stored === undefined && entries.size >= max) {
          throw new RpcError("E_KV_KEYS_FULL", `key: the player has ${max} keys already`)
        }
        this.#version += 1
        entries.set(key, { value, version: this.#version })
        return this.#version
      }
    },
    "kv.delete": {
      answer: (payload) => {
        const { player, key } = Object(payload)
        return this.#of(player).delete(key)
      }
    }
  }

  #of(player: string): Map<string, KvEntry> {
    const known = this.#players.get(player) ?? new Map()
    this.#players.set(player, known)
    return known
  }
}

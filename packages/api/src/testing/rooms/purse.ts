import { defineRoom, type PlayerKv } from "@atrium/sdk/room"

import { purse } from "./purseSchema.ts"

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(String) : []

const add = async (kv: PlayerKv, text: string): Promise<number> => {
  for (;;) {
    const entry = await kv.get("texts")
    const texts = [...textsOf(entry?.value), text]
    if ((await kv.compareAndSet("texts", texts, entry?.version ?? 0)) !== null) return texts.length
  }
}

export const purseRoom = defineRoom(purse, {
  rpc: {
    kv(room, client, call) {
      const { name, args, player } = Object(call)
      return Reflect.get(room.kv(player ?? client), name)(...args)
    },
    async add(room, _client, { player, text }) {
      return { length: await add(room.kv(player), text) }
    }
  }
})

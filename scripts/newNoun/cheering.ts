import { defineRoom } from "@atrium/sdk/room"
import { callService } from "@atrium/sdk/runtime"
import { defineSchema, s } from "@atrium/sdk/schema"

export const cheering = defineSchema({
  type: "cheering",
  rpc: { client: { cheer: { args: { by: s.u8() }, returns: { cheers: s.u32() } } } }
})

/** A game whose room code makes the in-room call of the noun `cheers`. */
export const cheeringRoom = defineRoom(cheering, {
  rpc: {
    async cheer(room, _client, { by }) {
      const { cheers } = Object(await callService(room, "cheers.add", { by }))
      return { cheers: Number(cheers) }
    }
  }
})

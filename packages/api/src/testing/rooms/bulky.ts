import { defineRoom } from "@atrium/sdk/room"

import { bulky } from "./bulkySchema.ts"

export const bulkyRoom = defineRoom(bulky, {
  rpc: {
    add(room, _client, { bytes }) {
      room.state.blocks.add({ bytes })
    }
  }
})

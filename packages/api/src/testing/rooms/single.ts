import { defineRoom } from "@atrium/sdk/room"

import { single } from "./singleSchema.ts"

export const singleRoom = defineRoom(single, {
  rpc: {
    knock(room) {
      room.state.door.knocks += 1
      return { knocks: room.state.door.knocks }
    }
  }
})

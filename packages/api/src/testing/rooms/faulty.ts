import { defineRoom } from "@atrium/sdk/room"

import { faulty } from "./faultySchema.ts"

export const faultyRoom = defineRoom(faulty, {
  rpc: {
    fail(room) {
      room.log.info("by the room")
      // oxlint-disable-next-line no-console -- The console of a room is what is tested.
      console.warn("by the console")
      throw new Error("failed on purpose")
    }
  }
})

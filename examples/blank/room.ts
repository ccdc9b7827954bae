import { defineRoom } from "@atrium/sdk/room"

import { counter } from "./schema.ts"

export const counterRoom = defineRoom(counter, {
  onMessage: {
    press(room) {
      room.state.counter.presses += 1
    }
  }
})

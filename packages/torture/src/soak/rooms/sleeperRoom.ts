import { defineRoom } from "@atrium/sdk/room"

import { sleeper } from "./soakSchema.ts"

/** A process that has just loaded this file runs a room that was asleep, or new. */
let fresh = true

export const sleeperRoom = defineRoom(sleeper, {
  rpc: {
    turn(room) {
      const { counter } = room.state
      counter.turns += 1
      if (fresh) counter.wakes += 1
      fresh = false
      return { turns: counter.turns, wakes: counter.wakes }
    }
  }
})

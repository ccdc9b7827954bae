import { defineRoom } from "@atrium/sdk/room"

import { rated } from "./ratedSchema.ts"

const life = crypto.randomUUID()

export const ratedRoom = defineRoom(rated, {
  rpc: {
    report(room, _client, args) {
      const { results, ...options } = Object(args)
      return room.ratings.report(results, options)
    },
    get(room, _client, args) {
      const { players, ...options } = Object(args)
      return room.ratings.get(players, options)
    },
    life: () => ({ process: life }),
    crash() {
      // Outside of every handler: what the runtime cannot catch.
      setTimeout(() => {
        throw new Error("crashed on purpose")
      }, 0)
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"

import { sides } from "./sidesSchema.ts"

const known = ["red", "blue"] as const

export const sidesRoom = defineRoom(sides, {
  rpc: {
    look: (room, client) => ({ version: room.version, best: client.player.best }),
    paint(room, client, { side: asked, best }) {
      const side = known.find((each) => each === asked) ?? "red"
      room.state.wall.side = side
      room.state.wall.coats += 1
      client.player.best = best
      room.broadcast("painted", { side })
      return {}
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"

import { scorer } from "./scorerSchema.ts"

export const scorerRoom = defineRoom(scorer, {
  rpc: {
    submit(room, client, args) {
      const { board, player, score, bucket, id } = Object(args)
      return room.leaderboard.submit(board, player ?? client, score, { bucket, id })
    }
  }
})

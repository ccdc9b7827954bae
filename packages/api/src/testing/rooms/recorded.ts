import { defineRoom } from "@atrium/sdk/room"

import { recorded } from "./recordedSchema.ts"

export const recordedRoom = defineRoom(recorded, {
  rpc: {
    show(room, _client, { text }) {
      room.state.board.moves += 1
      room.state.board.shown = text
      room.broadcast("open", { text })
      return { moves: room.state.board.moves }
    },
    tell(room, client, { text }) {
      room.send(client, "whisper", { text })
      room.log.info(`told ${text}`)
      return { text }
    },
    async clip(room) {
      return { ...(await room.replay.clip({ ttl: "1h" })) }
    },
    async flood(room, _client, { count }) {
      const asked = Array.from({ length: count }, () => room.replay.clip({ ttl: "1h" }))
      const answers = await Promise.allSettled(asked)
      const made = answers.filter(({ status }) => status === "fulfilled").length
      const cooled = answers.filter(
        (answer) => answer.status === "rejected" && Object(answer.reason).code === "E_CLIP_COOLDOWN"
      ).length
      return { made, cooled }
    }
  }
})

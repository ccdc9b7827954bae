import { defineRoom } from "@atrium/sdk/room"
import { s } from "@atrium/sdk/schema"

import { graffiti } from "./graffitiSchema.ts"

export const graffitiRoom = defineRoom(graffiti, {
  hidden: { singletons: { plan: { next: s.string(2000) } } },
  rpc: {
    spray(room, client, { text }) {
      const { wall } = room.state
      wall.text = text
      wall.tags.set(text.slice(0, 200), text.slice(0, 200))
      wall.sprayed += 1
      room.state.marks.add({ by: client.name ?? client.playerId, x: wall.sprayed * 10, y: 5 })
      room.broadcast("sprayed", { text })
      room.hidden.plan.next = text
      room.log.warn(text)
    },
    fill(room, _client, { marks }) {
      for (let made = 0; made < marks; made++) room.state.marks.add({ by: "nobody" })
    },
    unroll(room, _client, { text, times, notes }) {
      const { wall } = room.state
      wall.scroll = text.repeat(times)
      for (let at = 0; at < notes; at++)
        wall.notes.set(`#${at}`, `<script>graffiti(${at})</script>`)
    },
    crash(_room, _client, { text }) {
      queueMicrotask(() => {
        throw new Error(text)
      })
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"

import { talk } from "./talkSchema.ts"

export const talkRoom = defineRoom(talk, {
  onJoin(room, client) {
    room.state.heads.add({ client: client.id, x: 0, y: 0 })
  },
  onMessage: {
    move(room, client, { x, y }) {
      for (const head of room.state.heads) {
        if (head.client === client.id) Object.assign(head, { x, y })
      }
    },
    team(room, client, { name }) {
      room.voice.groups(client, name === "" ? null : name)
    }
  }
})

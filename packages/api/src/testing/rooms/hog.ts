import { defineRoom } from "@atrium/sdk/room"
import { s } from "@atrium/sdk/schema"

import { hogRoomIn } from "./HogRoom.ts"
import { giant, stuckStart } from "./hogSchema.ts"

export const hogRoom = hogRoomIn({ sharing: false })

export const giantRoom = defineRoom(giant, {
  // No client has to take them.
  hidden: { singletons: {}, entities: { blobs: { bytes: s.bytes(65_535) } } },

  onCreate(room) {
    room.state.counter.creations += 1
  },

  rpc: {
    count(room, _client, { by }) {
      room.state.counter.value += by
      return { value: room.state.counter.value }
    },
    grow(room, _client, { blobs }) {
      for (let blob = 0; blob < blobs; blob++) {
        room.hidden.blobs.add({ bytes: new Uint8Array(65_535) })
      }
      return { blobs: room.hidden.blobs.size }
    }
  }
})

export const stuckStartRoom = defineRoom(stuckStart, {
  onCreate() {
    for (;;);
  }
})

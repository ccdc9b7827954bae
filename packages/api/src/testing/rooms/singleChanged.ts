import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

/** The type `single` with a field of another kind: nothing can read the old state as this. */
export const singleChanged = defineSchema({
  type: "single",
  maxClients: 1,
  hibernateAfterMs: 300,
  reconnectForMs: 0,
  singletons: { door: { knocks: s.string(8) } },
  rpc: { client: { knock: { returns: { knocks: s.string(8) } } } }
})

export const singleChangedRoom = defineRoom(singleChanged, {
  rpc: {
    knock(room) {
      room.state.door.knocks += "!"
      return { knocks: room.state.door.knocks }
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

/** Of the state, and of the patch that each call makes. */
export const steadyBytes = 30_000

export const steady = defineSchema({
  type: "steady",
  maxClients: 1,
  hibernateAfterMs: 0,
  reconnectForMs: 0,
  singletons: { all: { bytes: s.bytes(steadyBytes) } },
  rpc: { client: { write: {} } }
})

const noise = (): Uint8Array => crypto.getRandomValues(new Uint8Array(steadyBytes))

/** A room whose load a plan knows exactly: each call is one patch of the whole state, which packs no smaller. */
export const steadyRoom = defineRoom(steady, {
  onCreate(room) {
    room.state.all.bytes = noise()
  },

  rpc: {
    write(room) {
      room.state.all.bytes = noise()
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

export const sleepless = defineSchema({
  type: "sleepless",
  hibernateAfterMs: 30_000,
  reconnectForMs: 0,
  singletons: { loop: { rounds: s.u32() } }
})

const againMs = 31_000

/** A room that nobody plays in and that its own alarm wakes a second after it fell asleep. */
export const sleeplessRoom = defineRoom(sleepless, {
  onCreate(room) {
    room.after("again", againMs)
  },

  onAlarm(room) {
    room.state.loop.rounds += 1
    room.after("again", againMs)
  }
})

export const flood = defineSchema({
  type: "flood",
  tickHz: 20,
  maxClients: 16,
  hibernateAfterMs: 30_000,
  reconnectForMs: 0,
  messages: { blob: s.untyped() }
})

const blob = new Uint8Array(50_000)

/** A room that sends a megabyte a second to each of its clients. */
export const floodRoom = defineRoom(flood, {
  onTick(room) {
    room.broadcast("blob", blob)
  }
})

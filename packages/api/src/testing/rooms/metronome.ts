import { defineRoom } from "@atrium/sdk/room"

import { metronome } from "./hogSchema.ts"

let beforeAtMs: number | null = null
let late: number[] = []

export const metronomeRoom = defineRoom(metronome, {
  onTick(room, { dtMs }) {
    const nowMs = performance.now()
    if (beforeAtMs !== null) late.push(Math.round(Math.max(0, nowMs - beforeAtMs - dtMs) * 100))
    beforeAtMs = nowMs
    room.state.beat.tick += 1
  },

  rpc: {
    lateness() {
      const told = late.slice(0, 20_000)
      late = []
      return { late: told }
    }
  }
})

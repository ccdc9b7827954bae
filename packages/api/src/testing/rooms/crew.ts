import { defineRoom } from "@atrium/sdk/room"

import { crew } from "./crewSchema.ts"

/** Of this instance of the module. */
let calls = 0
/** Values that must not be collected. */
const kept: Array<unknown> = []

const hogMemory = (): void => {
  kept.push(new Uint8Array(1024 * 1024).fill(1))
  setImmediate(hogMemory)
}

const crash = (): never => {
  throw new Error("nobody catches this")
}

export const crewRoom = defineRoom(crew, {
  sharing: true,
  onMessage: {
    run(_room, _client, { what }) {
      if (what === "memory") hogMemory()
      // In a timer, where nobody is left to catch it.
      if (what === "crash") setTimeout(crash, 1)
      while (what === "loop");
    }
  },
  rpc: {
    count(room, _client, { by }) {
      room.state.counter.value += by
      return { value: room.state.counter.value }
    },
    tally() {
      calls += 1
      return { calls }
    }
  }
})

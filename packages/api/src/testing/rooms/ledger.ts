import { defineRoom } from "@atrium/sdk/room"

import { ledger } from "./ledgerSchema.ts"

/** Tells the answers of one process from those of the next. */
const life = crypto.randomUUID()

export const ledgerRoom = defineRoom(ledger, {
  onAlarm(room) {
    room.state.bell.rung += 1
  },
  rpc: {
    book(room, _client, { n }) {
      room.state.booked.add({ n })
      return { n, life }
    },
    note(room, _client, { n }) {
      room.state.noted.add({ n })
      return { n, life }
    },
    ringIn(room, _client, { ms }) {
      room.after("bell", ms)
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"

import { ledger } from "./soakSchema.ts"

const boot = Date.now()

export const ledgerRoom = defineRoom(ledger, {
  onMessage: {
    note(room, _client, call) {
      room.state.lines.add({ ...call, kind: "message" })
    }
  },
  rpc: {
    durable(room, _client, call) {
      room.state.lines.add({ ...call, kind: "durable" })
      return { boot }
    },
    plain(room, _client, call) {
      room.state.lines.add({ ...call, kind: "plain" })
      return { boot }
    }
  }
})

import { defineRoom, type Room } from "@atrium/sdk/room"

import { widerLedger } from "./soakSchema.ts"

const boot = Date.now()

interface Call {
  readonly client: number
  readonly seq: number
  readonly ticket: number
}

const write = (
  room: Room<typeof widerLedger>,
  call: Call,
  kind: "durable" | "plain" | "message"
): { readonly boot: number } => {
  room.state.lines.add({ ...call, kind, checked: true })
  room.state.audit.lines += 1
  return { boot }
}

export const widerLedgerRoom = defineRoom(widerLedger, {
  onMessage: {
    note(room, _client, call) {
      write(room, call, "message")
    }
  },
  rpc: {
    durable: (room, _client, call) => write(room, call, "durable"),
    plain: (room, _client, call) => write(room, call, "plain")
  }
})

import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const layout = {
  maxClients: 64,
  singletons: { counter: { value: s.u32() } },
  messages: { say: { data: s.bytes(64) } },
  rpc: { client: { add: { returns: { value: s.u32() } } } }
} as const

/** Passes on what it gets, the least that room code can do, and sleeps as soon as it is empty. */
export const echo = defineSchema({ type: "echo", hibernateAfterMs: 200, ...layout })

/** The same, but it stays awake between two rounds of load. */
export const steadyEcho = defineSchema({ type: "steady-echo", hibernateAfterMs: 60_000, ...layout })

export const echoRoom = defineRoom(echo, {
  onMessage: {
    say(room, _client, payload) {
      room.broadcast("say", payload)
    }
  },
  rpc: {
    add(room) {
      room.state.counter.value += 1
      return { value: room.state.counter.value }
    }
  }
})

export const steadyEchoRoom = defineRoom(steadyEcho, {
  onMessage: {
    say(room, _client, payload) {
      room.broadcast("say", payload)
    }
  },
  rpc: { add: () => ({ value: 0 }) }
})

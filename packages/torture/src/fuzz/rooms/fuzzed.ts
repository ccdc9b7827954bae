import { defineRoom, RpcError } from "@atrium/sdk/room"

import { beside, fragile, fuzzed, tight } from "./fuzzedSchema.ts"

const marksMax = 20

export const fuzzedRoom = defineRoom(fuzzed, {
  onAuth: (_room, { options }) => (options === "refuse me" ? "the room refuses" : true),
  onJoin(room, client) {
    if ([...room.state.marks].length < marksMax) room.state.marks.add({ by: client.id, x: 0 })
  },
  onLeave(room, client) {
    for (const mark of Array.from(room.state.marks)) {
      if (mark.by === client.id) room.state.marks.remove(mark.id)
    }
  },
  onMessage: {
    say: (room, client, { text }) => room.send(client, "say", { text }),
    record(room, client, record) {
      room.send(client, "record", record)
      for (const thing of Array.from(room.state.things)) room.state.things.remove(thing.id)
      room.state.things.add(record)
    },
    anything: (room, client, value) => room.send(client, "anything", value)
  },
  rpc: {
    add(room, client, { by }) {
      room.state.counter.value = (room.state.counter.value + by) % 1000
      client.player.total = room.state.counter.value
      return { value: room.state.counter.value }
    },
    echo: (_room, _client, value) => value,
    refuse() {
      throw new RpcError("E_ROOM_FULL", "the room's own refusal")
    },
    fail() {
      throw new Error("failed on purpose")
    },
    ask: (room, client) => room.request(client, "question", { text: "?" }, { timeoutMs: 500 }),
    later: () => new Promise((resolve) => setTimeout(resolve, 300)),
    store(room) {
      room.state.counter.value = (room.state.counter.value + 1) % 1000
    },
    leave: (_room, client, { code }) => client.leave(code === 0 ? undefined : code)
  }
})

export const tightRoom = defineRoom(tight, {})

export const fragileRoom = defineRoom(fragile, {
  rpc: {
    crash() {
      // Outside of every handler: what the runtime cannot catch.
      setTimeout(() => {
        throw new Error("crashed on purpose")
      }, 0)
    }
  }
})

export const besideRoom = defineRoom(beside, {
  rpc: {
    add(room, _client, { by }) {
      room.state.counter.value = (room.state.counter.value + by) % 1000
      return { value: room.state.counter.value }
    }
  }
})

import { defineRoom, RpcError } from "@atrium/sdk/room"

import { probe } from "./probeSchema.ts"

export const probeRoom = defineRoom(probe, {
  onAuth(_room, { options }) {
    if (options === "hold me") return new Promise(() => undefined)
    return options === "refuse me" ? "the room refuses" : true
  },

  onCreate(room) {
    room.state.counter.starts += 1
  },

  onJoin(room, client) {
    room.state.marks.add({ by: client.id, x: 0 })
  },

  onLeave(room, client) {
    for (const mark of Array.from(room.state.marks)) {
      if (mark.by === client.id) room.state.marks.remove(mark.id)
    }
  },

  onMessage: {
    say(room, client, { text }) {
      room.broadcast("say", { text: `${client.id}: ${text}` })
    },
    anything(room, client, payload) {
      room.send(client, "anything", payload)
    }
  },

  onAlarm(room) {
    room.state.counter.alarms += 1
  },

  rpc: {
    add(room, _client, { by }) {
      room.state.counter.value += by
      return { value: room.state.counter.value }
    },
    addDurably(room, _client, { by }) {
      room.state.counter.value += by
      return { value: room.state.counter.value }
    },
    promise(room, client, { by, ms }) {
      room.state.counter.value += by
      client.player.total += by
      room.after("promised", ms)
    },
    mark(room, client, { x }) {
      if (x < 0) throw new RpcError("E_NEGATIVE", "x must not be negative")
      for (const mark of room.state.marks) if (mark.by === client.id) mark.x = x
    },
    alarmIn(room, _client, { ms }) {
      room.after("test", ms)
    },
    async save(room) {
      await room.save()
    },
    score(_room, client, { by }) {
      client.player.total += by
      return { total: client.player.total }
    },
    crash() {
      // Outside of every handler: what the runtime cannot catch.
      setTimeout(() => {
        throw new Error("crashed on purpose")
      }, 0)
    },
    log(room, _client, { level, text, count }) {
      for (let at = 0; at < count; at++) {
        const line = text.replace("#", String(at))
        if (level === "error") room.log.error(line)
        else room.log.info(line)
      }
    },
    list(room) {
      room.lobby.setPublic(true)
    },
    show(room, _client, { json }) {
      room.lobby.setMetadata(JSON.parse(json))
    },
    begin(room) {
      room.lobby.setStarted(true)
    },
    spin() {
      for (;;);
    },
    version(room) {
      return { version: room.version }
    },
    async askBack(room, client, { question }) {
      const { text } = await room.request(client, "question", { text: question })
      return { answer: text }
    }
  }
})

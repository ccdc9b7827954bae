import { defineRoom } from "@atrium/sdk/room"

import { blast, blob, bodies, good } from "./abuseSchemas.ts"

export const goodRoom = defineRoom(good, {
  onCreate(room) {
    for (let body = 0; body < bodies; body++) room.state.bodies.add()
  },
  onTick(room, { tick }) {
    for (const body of room.state.bodies) {
      body.x = tick
      body.y = body.id - tick
    }
  }
})

export const blastRoom = defineRoom(blast, {
  onTick(room) {
    room.broadcast("blob", { data: blob })
  },
  onMessage: {
    say(room, client, payload) {
      room.broadcast("say", payload, { except: client })
    }
  }
})

import { defineRoom } from "@atrium/sdk/room"

import { bodiesOf, few, largeBytes, many, plain, vault } from "./CalibrationSchemas.ts"

export const plainRoom = defineRoom(plain, {
  rpc: {
    async store(room) {
      await room.save()
    }
  }
})

export const vaultRoom = defineRoom(vault, {
  onCreate(room) {
    // Bytes that no compression makes fewer.
    room.state.stock.data = Uint8Array.from({ length: largeBytes }, () => room.random.int(256))
  },
  rpc: {
    async store(room) {
      await room.save()
    }
  }
})

export const fewRoom = defineRoom(few, {
  onCreate(room) {
    for (let body = 0; body < bodiesOf.few; body++) room.state.bodies.add()
  },
  onTick(room) {
    for (const body of room.state.bodies) {
      body.x += 0.5
      body.y += 0.25
      body.vx += 0.125
      body.vy -= 0.125
    }
  }
})

export const manyRoom = defineRoom(many, {
  onCreate(room) {
    for (let body = 0; body < bodiesOf.many; body++) room.state.bodies.add()
  },
  onTick(room) {
    for (const body of room.state.bodies) {
      body.x += 0.5
      body.y += 0.25
      body.vx += 0.125
      body.vy -= 0.125
    }
  }
})

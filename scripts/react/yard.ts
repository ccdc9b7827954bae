import { defineRoom } from "@atrium/sdk/room"

import { yard } from "./yardSchema.ts"

export const yardRoom = defineRoom(yard, {
  onJoin(room) {
    room.state.here.clients += 1
  },
  onLeave(room) {
    room.state.here.clients -= 1
  },
  onMessage: {
    add: ({ state }, _, { name }) => void state.players.add({ name, hp: 9 }),
    hit({ state }, _, { player, hp }) {
      const hit = state.players.get(player)
      if (hit !== undefined) hit.hp = hp
    },
    buy({ state }, _, { player, thing }) {
      const bag = state.players.get(player)?.bag
      bag?.set(thing, { count: (bag.get(thing)?.count ?? 0) + 1 })
    },
    // All of it is one patch.
    turn({ state }, _, { leaves, comes }) {
      state.score.red += 1
      state.players.remove(leaves)
      state.players.add({ name: comes, hp: 9 })
    }
  }
})

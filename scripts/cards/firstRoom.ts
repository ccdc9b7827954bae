import { defineRoom } from "@atrium/sdk/room"

import { firstCards, firstHidden } from "./firstSchema.ts"

/** What version 1 of examples/cards has stored, as its rooms would have left it: no card in it is there twice. */
export const firstRoom = defineRoom(firstCards, {
  hidden: firstHidden,
  visible: { hands: { to: "owner" } },
  rpc: {
    // The second player gets the turn, with the jack of hearts to play on the ten.
    sit(room, { playerId }) {
      const { seats, hands, table } = room.state
      const isSecond = seats.size === 1
      const seat = seats.add({ playerId, cards: 2, wins: seats.size + 2 })
      hands.add({ owner: playerId, cards: isSecond ? [36, 51] : [0, 13] })
      room.hidden.deck.cards = [1, 14, 50]
      Object.assign(table, { phase: "playing", turn: seat.id, top: 35, left: 3 })
      room.after("turn", 3_600_000)
      return {}
    },
    play: () => ({}),
    draw: () => ({})
  }
})

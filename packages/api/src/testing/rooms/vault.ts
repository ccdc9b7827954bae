import { defineRoom, type Room } from "@atrium/sdk/room"
import { s } from "@atrium/sdk/schema"

import { vault } from "./vaultSchema.ts"

/** Names and values that no client may ever meet. */
export const planted = {
  names: ["zq_vaultCoins", "zq_coinCount", "zq_ledger", "zq_entry", "zq_ruleText"],
  word: "zq_hidden_value",
  cardOf: (playerId: string) => `zq_card_${playerId.slice(-6)}`,
  note: "zq_note"
}

export const vaultSecrets = {
  singletons: { zq_vaultCoins: { zq_coinCount: s.u32() } },
  entities: { zq_ledger: { zq_entry: s.string(32), hand: s.ref("hands") } }
}

type Vault = Room<typeof vault, typeof vaultSecrets>

export const dealTo = (room: Vault, playerId: string): void => {
  const { id } = room.state.hands.add({ owner: playerId, card: planted.cardOf(playerId) })
  room.state.table.hands = room.state.hands.size
  room.state.table.note = planted.note
  room.hidden.zq_vaultCoins.zq_coinCount += 5
  room.hidden.zq_ledger.add({ zq_entry: planted.word, hand: id })
}

const zq_ruleText = (): boolean => false

export const vaultRoom = defineRoom(vault, {
  hidden: vaultSecrets,
  visible: {
    hands: { to: "owner" },
    table: { fields: { note: { visibleTo: zq_ruleText } } }
  },
  rpc: {
    deal: (room, client) => dealTo(room, client.playerId),
    count: (room) => ({ coins: room.hidden.zq_vaultCoins.zq_coinCount }),
    show: (room) => {
      for (const hand of room.state.hands) hand.owner = [...room.clients][0]?.playerId ?? ""
    },
    save: (room) => room.save()
  }
})

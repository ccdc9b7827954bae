import { defineRoom } from "@atrium/sdk/room"
import { s } from "@atrium/sdk/schema"

import { vault } from "./vaultSchema.ts"

/** The vault's next version: it has more hidden state, and no client can tell. */
export const vaultNext = defineRoom(vault, {
  hidden: {
    singletons: { zq_vaultCoins: { zq_more: s.u8({ default: 3 }), zq_coinCount: s.u32() } },
    entities: { zq_ledger: { zq_entry: s.string(32), hand: s.ref("hands") }, zq_new: {} }
  },
  visible: { hands: { to: "owner" } },
  rpc: {
    deal: () => {},
    count: ({ hidden }) => ({
      coins:
        1000 * hidden.zq_ledger.size +
        100 * hidden.zq_vaultCoins.zq_more +
        hidden.zq_vaultCoins.zq_coinCount
    }),
    show: () => {},
    save: (room) => room.save()
  }
})

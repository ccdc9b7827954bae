import { defineRoom } from "@atrium/sdk/room"
import { s } from "@atrium/sdk/schema"

import { vault } from "./vaultSchema.ts"

/** The vault without a part of what rooms have stored. */
export const vaultLess = defineRoom(vault, {
  hidden: { singletons: { zq_vaultCoins: { zq_coinCount: s.u32() } } },
  rpc: { deal: () => {}, count: () => ({ coins: 0 }), show: () => {}, save: () => {} }
})

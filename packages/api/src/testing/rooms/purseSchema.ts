import { defineSchema, s } from "@atrium/sdk/schema"

/** A room type that lets a test reach the KV of players. */
export const purse = defineSchema({
  type: "purse",
  hibernateAfterMs: 300,
  reconnectForMs: 5_000,
  rpc: {
    client: {
      /** A call of `room.kv` by its name and arguments. */
      kv: { args: s.untyped(), returns: s.untyped() },
      /** Adds a text to the list that a player has, by a compare-and-set for each try. */
      add: { args: { player: s.string(64), text: s.string(32) }, returns: { length: s.u32() } }
    }
  }
})

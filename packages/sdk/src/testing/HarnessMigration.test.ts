import { defineMigration } from "@atrium/runtime/migrations/DefineMigration"
import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { defineSchema, s, schemaHash } from "@atrium/wire/schema"
import { describe, expect, test } from "vitest"

import { RoomHarness } from "./RoomHarness.ts"

const coins = defineSchema({
  type: "purse",
  singletons: { purse: { coins: s.u8() } },
  rpc: { client: { earn: { args: { coins: s.u8() } } } },
  player: { wins: s.u8() }
})
const wider = defineSchema({
  type: "purse",
  singletons: { purse: { coins: s.u16(), owner: s.string(8, { default: "nobody" }) } },
  rpc: { client: { earn: { args: { coins: s.u8() } } } },
  player: { wins: s.u8() }
})
const cents = defineSchema({
  type: "purse",
  singletons: { purse: { cents: s.u32() } },
  player: { score: s.u16() }
})

const coinsRoom = defineRoom(coins, {
  hidden: { singletons: { vault: { gold: s.u8() } } },
  rpc: {
    earn({ state, hidden }, { player }, { coins: earned }) {
      state.purse.coins += earned
      hidden.vault.gold = 7
      player.wins += 1
    }
  }
})
const centsRoom = defineRoom(cents, {
  hidden: { singletons: { vault: { silver: s.u16() } } },
  onJoin({ state, hidden }) {
    state.purse.cents += hidden.vault.silver
  }
})

interface Old {
  readonly purse: { readonly coins: number }
  readonly vault: { readonly gold: number }
}
const stored = (room: typeof coinsRoom | typeof centsRoom) => schemaHash(room.stored ?? room.schema)
const between = { from: stored(coinsRoom), to: stored(centsRoom) }
const toCents = (migrate: (old: Old) => object) =>
  defineMigration({
    rooms: { purse: { ...between, migrate } },
    player: {
      from: "players-1",
      to: "players-2",
      migrate: ({ wins }: { readonly wins: number }) => ({ score: wins * 10 })
    }
  })
const migration = toCents(({ purse, vault }) => ({
  purse: { cents: purse.coins * 100 },
  vault: { silver: vault.gold * 20 }
}))

/** A room in which ann has earned five coins. */
const played = async () => {
  const harness = new RoomHarness(coinsRoom)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(coins)
  await ann.request("earn", { coins: 5 })
  await harness.advance(0)
  return { harness, ann }
}

describe("a harness that migrates", () => {
  test("[C-728] leads state, hidden state and stored players on, and clients of the next version join", async () => {
    const { harness } = await played()
    const next = await harness.migrate(centsRoom, migration)
    const bob = await next.client({ playerId: "bob" }).joinOrCreate(cents)
    await next.advance(0)
    expect([bob.state.purse.cents, next.as("bob").purse.cents]).toEqual([640, 640])
    expect(next.stored("ann")).toEqual({ score: 10 })
    await next.sleepFor(1000)
    await next.advance(10_000)
    expect(bob.state.purse.cents).toBe(640)
    expect(next.logs).toEqual([])
  })

  test("[C-728] [C-680] needs no migration where the next version takes more, and its clients play on", async () => {
    const { harness, ann } = await played()
    const widerRoom = defineRoom(wider, {
      hidden: { singletons: { vault: { gold: s.u8() } } },
      rpc: { earn: ({ state }, _, { coins: earned }) => void (state.purse.coins += earned * 100) }
    })
    const next = await harness.migrate(widerRoom)
    const bob = await next.client({ playerId: "bob" }).joinOrCreate(wider)
    await next.advance(10_000)
    await ann.request("earn", { coins: 3 })
    await next.advance(0)
    expect([bob.state.purse.coins, bob.state.purse.owner]).toEqual([305, "nobody"])
    expect(ann.connected).toBe(true)
  })

  test("[C-728] that fails leaves the room on its version", async () => {
    const { harness, ann } = await played()
    const failing = toCents(() => {
      throw new Error("no rate")
    })
    await expect(harness.migrate(centsRoom, failing)).rejects.toThrow("no rate")
    await expect(harness.migrate(centsRoom)).rejects.toThrow(
      "migrate: no migration over singletons.purse.coins was removed"
    )
    const strange = defineMigration({ rooms: { purse: { from: "a", to: "b" } } })
    await expect(harness.migrate(centsRoom, strange)).rejects.toThrow(
      `migrate: the migration goes from a to b, and the room from ${between.from} to ${between.to}`
    )
    await harness.advance(10_000)
    await ann.request("earn", { coins: 1 })
    await harness.advance(0)
    expect([ann.state.purse.coins, harness.stored("ann").wins]).toEqual([6, 2])
  })
})

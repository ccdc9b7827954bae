import { packPlayer, unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { defineSchema, s } from "@atrium/wire/schema"
import { expect, test } from "vitest"

import { Players } from "./Players.ts"

const old = defineSchema({ type: "t", player: { wins: s.u32() } }).player
const next = defineSchema({ type: "t", player: { coins: s.u16({ default: 5 }), wins: s.u32() } })

test("[C-59] a room of an older version leaves the fields of a newer one as they are", () => {
  const written: Array<Uint8Array> = []
  const players = new Players(old, () => undefined)
  const bytes = packPlayer(next.player, { coins: 70, wins: 1 })
  const record = players.take("p1", { bytes, fromSnapshot: false })
  expect(Object.keys(record.fields)).toEqual(["wins"])
  Reflect.set(record.fields, "wins", 2)
  players.flush((_, packed) => written.push(packed))
  expect(written.map((packed) => unpackPlayer(next.player, packed))).toEqual([
    { coins: 70, wins: 2 }
  ])
  // A snapshot keeps them as well.
  expect(unpackPlayer(next.player, record.pack())).toEqual({ coins: 70, wins: 2 })
})

test("[C-684] a value that an older version does not hold stays until its code says another", () => {
  const wide = defineSchema({ type: "t", player: { wins: s.f64(), rank: s.enum("one", "two") } })
  const narrow = defineSchema({ type: "t", player: { wins: s.u32(), rank: s.enum("one") } })
  const players = new Players(narrow.player, () => undefined)
  const bytes = packPlayer(wide.player, { wins: 0.5, rank: "two" })
  const record = players.take("p1", { bytes, fromSnapshot: false })
  expect({ ...record.fields }).toEqual({ wins: 0, rank: "one" })
  expect(unpackPlayer(wide.player, record.pack())).toEqual({ wins: 0.5, rank: "two" })
  Reflect.set(record.fields, "wins", 3)
  expect(unpackPlayer(wide.player, record.pack())).toEqual({ wins: 3, rank: "two" })
  Reflect.set(record.fields, "rank", "one")
  expect(unpackPlayer(wide.player, record.pack())).toEqual({ wins: 3, rank: "one" })
})

test("[C-59] all stored fields of a player that comes back replace the fields of the snapshot", () => {
  const players = new Players(old, () => undefined)
  const kept = packPlayer(next.player, { coins: 1, wins: 1 })
  const record = players.take("p1", { bytes: kept, fromSnapshot: true })
  players.refresh("p1", packPlayer(next.player, { coins: 2, wins: 3 }))
  expect(unpackPlayer(next.player, record.pack())).toEqual({ coins: 2, wins: 3 })
})

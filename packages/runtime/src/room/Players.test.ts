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

test("[C-59] all stored fields of a player that comes back replace the fields of the snapshot", () => {
  const players = new Players(old, () => undefined)
  const kept = packPlayer(next.player, { coins: 1, wins: 1 })
  const record = players.take("p1", { bytes: kept, fromSnapshot: true })
  players.refresh("p1", packPlayer(next.player, { coins: 2, wins: 3 }))
  expect(unpackPlayer(next.player, record.pack())).toEqual({ coins: 2, wins: 3 })
})

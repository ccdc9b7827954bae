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

test("[C-665] fields that hold others change where they are, and are stored once for all changes until a flush", () => {
  const bag = s.map(s.string(8), s.struct({ count: s.u8() }), 8)
  const { player } = defineSchema({ type: "t", player: { bag, at: s.struct({ x: s.u8() }) } })
  let changes = 0
  let refused = false
  const players = new Players(player, () => {
    if (refused) throw new Error("not now")
    changes += 1
  })
  const stored = packPlayer(player, { bag: new Map([["rope", { count: 1 }]]) })
  const record = players.take("p1", { bytes: stored, fromSnapshot: true })
  const rope: unknown = Object(record.fields).bag.get("rope")
  expect([changes, rope]).toEqual([0, { count: 1 }])
  const flushed = (): ReadonlyArray<unknown> => {
    const written: Array<unknown> = []
    players.flush((_, packed) =>
      written.push(JSON.parse(JSON.stringify(unpackPlayer(player, packed))))
    )
    return written
  }
  Object.assign(Object(rope), { count: 2 })
  Object(record.fields).at.x = 5
  expect([changes, flushed()]).toEqual([2, [{ bag: [["rope", { count: 2 }]], at: { x: 5 } }]])
  Object.assign(Object(rope), { count: 3 })
  Object.assign(Object(rope), { count: 4 })
  expect(changes).toBe(4)
  expect(flushed()).toHaveLength(1)
  expect(() => Object.assign(Object(rope), { count: 256 })).toThrow(
    'player.bag["rope"].count: 256 is outside 0 to 255 (u8)'
  )
  // What the service stored meanwhile comes in without a change, into the same objects.
  players.refresh("p1", packPlayer(player, { bag: new Map([["rope", { count: 9 }]]) }))
  // The owner may refuse a change, so that it is called before the value is checked.
  expect([changes, rope, flushed()]).toEqual([6, { count: 9 }, []])
  refused = true
  const { bag: held } = Object(record.fields)
  for (const change of [
    () => Object.assign(Object(rope), { count: 1 }),
    () => held.delete("rope"),
    () => Object.assign(record.fields, { bag: new Map() })
  ]) {
    expect(change).toThrow("not now")
  }
  expect([held.get("rope"), flushed()]).toEqual([{ count: 9 }, []])
})

test("[C-59] all stored fields of a player that comes back replace the fields of the snapshot", () => {
  const players = new Players(old, () => undefined)
  const kept = packPlayer(next.player, { coins: 1, wins: 1 })
  const record = players.take("p1", { bytes: kept, fromSnapshot: true })
  players.refresh("p1", packPlayer(next.player, { coins: 2, wins: 3 }))
  expect(unpackPlayer(next.player, record.pack())).toEqual({ coins: 2, wins: 3 })
})

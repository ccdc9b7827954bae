import { describe, expect, test } from "vitest"

import { defineSchema, s } from "../schema.ts"
import { makeRoomState } from "./RoomState.ts"
import { makeStateView } from "./StateView.ts"
import { messageOf, pairOf } from "./testing/Pair.ts"

describe("errors", () => {
  const hand = s.list(s.struct({ suit: s.enum("clubs"), tags: s.list(s.u8(), 2) }), 2)
  const players = { hand, bag: s.map(s.string(4), s.struct({ count: s.u8() })) }
  const schema = defineSchema({ type: "t", entities: { players } })
  const player = () => {
    const room = makeRoomState(schema)
    const one = room.state.players.add({ hand: [{ suit: "clubs", tags: [] }] })
    one.bag.set("rope", { count: 1 })
    room.encodeDelta()
    return { room, one }
  }

  test.each<[string, unknown, string]>([
    ["hand.0.suit", "x", 'players.hand[0].suit: "x" is not one of "clubs"'],
    ["hand.0.tags", [1, 256], "players.hand[0].tags[1]: 256 is outside 0 to 255 (u8)"],
    ["hand.0.tags", [1, 2, 3], "players.hand[0].tags: 3 items are over 2"],
    ["hand", [{ suit: "x" }], 'players.hand[0].suit: "x" is not one of "clubs"'],
    ["hand", [{}, {}, {}], "players.hand: 3 items are over 2"],
    ["hand", [5], "players.hand[0]: 5 is not an object"],
    ["hand", [{ siut: "clubs" }], "players.hand[0].siut: there is no such field"],
    ["bag.rope.count", -1, 'players.bag["rope"].count: -1 is outside 0 to 255 (u8)'],
    ["bag", [["rope", { count: "1" }]], 'players.bag["rope"].count: "1" is not a number (u8)'],
    ["bag", [["ropes", {}]], "players.bag: the key 5 bytes of UTF-8 are over 4"],
    ["bag", { rope: {} }, "players.bag: a value of type object is not a map"],
    ["bag", [["rope"]], "players.bag: an array is not a pair"]
  ])(
    "[error.app-data-never-trimmed] %s = %j names the path, and changes nothing",
    (path, value, message) => {
      const { room, one } = player()
      const before = room.encodeSnapshot()
      const names = path.split(".")
      const last = names.pop() ?? ""
      const holder = names.reduce<unknown>(
        (at, name) =>
          at instanceof Object && "set" in at ? one.bag.get(name) : Reflect.get(Object(at), name),
        one
      )
      expect(messageOf(() => Reflect.set(Object(holder), last, value))).toBe(message)
      expect(room.dirty).toBe(false)
      expect(room.encodeSnapshot()).toEqual(before)
    }
  )

  test("[error.app-data-never-trimmed] an entry that does not fit names its key, and is not there", () => {
    const { room, one } = player()
    const entry: object = { count: 256 }
    expect(messageOf(() => one.bag.set("coin", Object(entry)))).toBe(
      'players.bag["coin"].count: 256 is outside 0 to 255 (u8)'
    )
    expect(messageOf(() => one.bag.set("coins", { count: 1 }))).toBe(
      "players.bag: the key 5 bytes of UTF-8 are over 4"
    )
    expect([room.dirty, one.bag.size]).toEqual([false, 1])
  })

  test("[C-662] what a removed record held keeps its values, and takes no new ones", () => {
    const { room, one } = player()
    const [[card], rope] = [one.hand, one.bag.get("rope")]
    room.state.players.remove(one.id)
    room.state.players.add()
    expect(one.toJSON()).toEqual({ id: 1, hand: [{ suit: "clubs", tags: [] }], bag: one.bag })
    expect([...one.bag]).toEqual([["rope", { count: 1 }]])
    expect(messageOf(() => Object.assign(card ?? {}, { tags: [1] }))).toBe(
      "players.hand[0] was removed"
    )
    expect(messageOf(() => Object.assign(rope ?? {}, { count: 2 }))).toBe(
      'players.bag["rope"] was removed'
    )
    for (const change of [() => one.bag.clear(), () => one.bag.delete("rope")]) {
      expect(messageOf(change)).toBe("players.bag was removed")
    }
  })
})

describe("a client's state", () => {
  test("[C-662] nothing in it can be assigned, not even by plain JavaScript", () => {
    const { one, seen, flush } = pairOf({
      at: s.struct({ x: s.u8() }),
      bag: s.map(s.string(4), s.struct({ count: s.u8() }))
    })
    one.bag.set("a", { count: 1 })
    flush()
    expect(Reflect.set(seen.at, "x", 1)).toBe(false)
    expect(Reflect.set(seen.bag.get("a") ?? {}, "count", 2)).toBe(false)
    for (const method of ["set", "delete", "clear"]) {
      expect(() => Reflect.apply(Reflect.get(seen.bag, method), seen.bag, ["a"])).toThrow(TypeError)
    }
  })

  test("[C-663] entities that come with their defaults share them, however large a struct is", () => {
    const leaves = Array.from({ length: 200 }, (_, at) => [`f${at}`, s.u8()])
    const big = defineSchema({
      type: "t",
      entities: { all: { at: s.struct(Object.fromEntries(leaves)) } }
    })
    const view = makeStateView(big)
    // Two entities of defaults: an empty mask and two runs.
    view.applyDelta(Uint8Array.of(0, 0, 1, 0, 2, 0, 1, 0, 1))
    const [first, second] = [...view.state.all]
    expect(view.state.all.size).toBe(2)
    expect(first?.at).toBe(second?.at)
  })

  test("[C-662] a value that did not change is the same object after a delta", () => {
    const { one, seen, flush } = pairOf({
      at: s.struct({ x: s.u8() }),
      bag: s.map(s.string(4), s.struct({ count: s.u8() }))
    })
    one.bag.set("a", { count: 1 }).set("b", { count: 1 })
    flush()
    const { at, bag } = seen
    const [a, b] = [bag.get("a"), bag.get("b")]
    one.bag.set("b", { count: 2 })
    flush()
    expect(seen.at).toBe(at)
    expect(seen.bag).not.toBe(bag)
    expect(seen.bag.get("a")).toBe(a)
    expect([b, seen.bag.get("b")]).toEqual([{ count: 1 }, { count: 2 }])
  })
})

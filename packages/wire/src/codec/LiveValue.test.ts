import { inspect } from "node:util"

import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { s, type AnyField } from "../schema.ts"
import { nestedField } from "../schema/testing/ArbitrarySchema.ts"
import { type Edit, editOf, plainValue, spotIn, takeEdit } from "./testing/Edit.ts"
import { messageOf, pairOf } from "./testing/Pair.ts"

const jsonOf = (field: AnyField, value: unknown): string => JSON.stringify(field.toStored(value))

describe("values that change where they are", () => {
  const edited = nestedField(false, 4)
    .filter(({ live }) => live)
    .chain((field) =>
      fc.record({
        field: fc.constant(field),
        // null = a delta.
        edits: fc.array(fc.option(editOf(field.spec), { freq: 4, nil: null }), {
          maxLength: 25,
          size: "max"
        })
      })
    )

  test("[C-662] they are what a plain program would hold, and clients follow by deltas", () => {
    let deltas = 0
    fc.assert(
      fc.property(edited, ({ field, edits }) => {
        const { one, seen, flush, room } = pairOf({ field })
        const plain = { field: plainValue(field, field.default) }
        const take = (edit: Edit): void => {
          takeEdit(spotIn(one, "field"), field, [edit, (_, value) => value])
          takeEdit(spotIn(plain, "field"), field, [edit, plainValue])
          expect(jsonOf(field, one.field)).toBe(jsonOf(field, plain.field))
        }
        for (const edit of [...edits, null]) {
          if (edit !== null) take(edit)
          else if (flush() !== null) deltas += 1
          expect(one.field).toBe(one.field)
        }
        expect(JSON.stringify(seen.field)).toBe(jsonOf(field, plain.field))
        // A room that wakes holds the same, and goes on from there.
        const snapshot = room.encodeSnapshot()
        room.loadSnapshot(snapshot)
        expect(jsonOf(field, one.field)).toBe(jsonOf(field, plain.field))
        expect(room.encodeSnapshot()).toEqual(snapshot)
      }),
      { numRuns: 150 }
    )
    expect(deltas).toBeGreaterThan(150)
  })
})

describe("a struct", () => {
  const fields = {
    at: s.struct({ x: s.u8(), y: s.u8({ default: 7 }), name: s.optional(s.string(4)) })
  }

  test("[C-662] a change of a field travels as that field", () => {
    const { one, seen, flush } = pairOf(fields)
    expect(one.at).toEqual({ x: 0, y: 7 })
    one.at.x = 3
    expect(flush()).toEqual([0b001, 3])
    one.at.name = "a"
    expect(flush()).toEqual([0b100, 1, 1, 0x61])
    one.at.name = undefined
    expect(flush()).toEqual([0b100, 0])
    one.at.x = 3
    expect(flush()).toBeNull()
    expect(seen.at).toEqual({ x: 3, y: 7 })
  })

  test("[C-662] assigning an object sets every field in the same struct; what is left out gets its default", () => {
    const { one, flush } = pairOf(fields)
    const held = one.at
    one.at = { x: 9, y: 9 }
    expect(flush()).toEqual([0b011, 9, 9])
    Object.assign(one, { at: { x: 9 } })
    expect(flush()).toEqual([0b010, 7])
    held.x = 1
    expect(one.at).toBe(held)
    expect(one.at.x).toBe(1)
  })

  test("[C-662] an assigned value is copied before anything changes", () => {
    const { one } = pairOf({ pair: s.struct({ left: fields.at, right: fields.at }) })
    one.pair.left.x = 1
    one.pair.right.x = 2
    one.pair = { left: one.pair.right, right: one.pair.left }
    expect([one.pair.left.x, one.pair.right.x]).toEqual([2, 1])
    const given = { x: 5, y: 5 }
    one.pair.left = given
    given.x = 6
    expect(one.pair.left.x).toBe(5)
  })

  test("[C-662] it can be spread, printed and written as JSON, and has no other properties", () => {
    const { one } = pairOf(fields)
    expect({ ...one.at, x: 2 }).toEqual({ x: 2, y: 7, name: undefined })
    expect(JSON.stringify(one)).toBe('{"at":{"x":0,"y":7}}')
    expect(inspect(one)).toBe("{ at: { x: 0, y: 7, name: undefined } }")
    expect(() => Object.assign(one.at, { z: 1 })).toThrow(TypeError)
    expect(Reflect.deleteProperty(one.at, "x")).toBe(false)
  })
})

describe("a map", () => {
  const item = s.struct({ count: s.u8(), mark: s.u8() })

  test("[C-662] a change of an entry travels as that entry, a change within it as that field", () => {
    const { one, seen, flush } = pairOf({ bag: s.map(s.string(8), item, 4) })
    one.bag.set("a", { count: 1, mark: 2 }).set("b", { count: 3, mark: 4 })
    // A change; 2 entries, each its key, 1 and the value.
    expect(flush()).toEqual([2, 2, 1, 0x61, 1, 1, 2, 1, 0x62, 1, 3, 4])
    const sword = one.bag.get("b")
    if (sword !== undefined) sword.count = 5
    expect(flush()).toEqual([2, 1, 1, 0x62, 2, 0b01, 5])
    expect(one.bag.delete("a")).toBe(true)
    expect(one.bag.delete("a")).toBe(false)
    expect(flush()).toEqual([2, 1, 1, 0x61, 0])
    one.bag.clear()
    expect(flush()).toEqual([1, 0])
    expect(seen.bag.size).toBe(0)
  })

  test("[C-662] it is read as a Map is", () => {
    const { one, seen, flush } = pairOf({ names: s.map(s.u16(), s.string(8)) })
    one.names.set(7, "seven").set(3, "three")
    flush()
    for (const map of [one.names, seen.names]) {
      expect([map.size, map.has(7), map.has(8), map.get(3)]).toEqual([2, true, false, "three"])
      expect([...map]).toEqual([
        [7, "seven"],
        [3, "three"]
      ])
      expect([...map.keys()]).toEqual([7, 3])
      expect([...map.values()]).toEqual(["seven", "three"])
      const visited: Array<unknown> = []
      map.forEach((value, key) => visited.push([key, value]))
      expect(visited).toEqual([...map.entries()])
      expect(JSON.stringify(map)).toBe('[[7,"seven"],[3,"three"]]')
    }
    expect(inspect(one.names)).toBe("Map(2) { 7 => 'seven', 3 => 'three' }")
  })

  test("[C-662] entries keep the order in which they were added, here and at clients", () => {
    const { one, seen, flush } = pairOf({ names: s.map(s.string(1), s.u8()) })
    const keys = () => [[...one.names.keys()].join(""), [...seen.names.keys()].join("")]
    one.names = new Map([...("abc" as Iterable<string>)].map((key) => [key, 0]))
    flush()
    expect(keys()).toEqual(["abc", "abc"])
    one.names.delete("a")
    one.names.set("d", 1).set("b", 2).set("a", 3)
    flush()
    expect(keys()).toEqual(["bcda", "bcda"])
    one.names = new Map([...one.names].toReversed())
    expect(flush()?.[0]).toBe(1)
    expect(keys()).toEqual(["adcb", "adcb"])
  })

  test("[C-662] an entry whose key stays keeps its struct, whatever is assigned to it", () => {
    const { one, flush } = pairOf({ bag: s.map(s.string(8), item, 4) })
    one.bag.set("a", { count: 1, mark: 1 }).set("b", { count: 2, mark: 2 })
    flush()
    const [first, second] = [one.bag.get("a"), one.bag.get("b")]
    one.bag.set("b", { count: 3, mark: 2 })
    expect(flush()).toEqual([2, 1, 1, 0x62, 2, 0b01, 3])
    one.bag = new Map([["b", { count: 4, mark: 2 }]])
    expect(second).toEqual({ count: 4, mark: 2 })
    expect(one.bag.get("b")).toBe(second)
    expect(messageOf(() => Object.assign(first ?? {}, { count: 2 }))).toBe(
      'one.bag["a"] was removed'
    )
    expect(first).toEqual({ count: 1, mark: 1 })
  })

  test("[limits.map-entries] takes the entries of its bound, and no more", () => {
    const { one } = pairOf({ names: s.map(s.u16(), s.u8(), 2) })
    one.names.set(1, 1).set(2, 2)
    expect(messageOf(() => one.names.set(3, 3))).toBe("one.names: 3 entries are over 2")
    expect(
      messageOf(() => {
        one.names = new Map([1, 2, 3].map((key) => [key, key]))
      })
    ).toBe("one.names: 3 entries are over 2")
    one.names.set(2, 9)
    expect([...one.names]).toEqual([
      [1, 1],
      [2, 9]
    ])
    // One that names no bound takes 256.
    const { one: many } = pairOf({ names: s.map(s.u16(), s.u8()) })
    for (let key = 0; key < 256; key += 1) many.names.set(key, 0)
    expect(messageOf(() => many.names.set(256, 0))).toBe("one.names: 257 entries are over 256")
  })
})

describe("a list of structs", () => {
  const fields = { hand: s.list(s.struct({ suit: s.enum("clubs", "hearts"), rank: s.u8() }), 4) }
  const card = (rank: number) => ({ suit: "clubs", rank }) as const

  const dealt = () => {
    const pair = pairOf(fields)
    pair.one.hand = [card(1), card(2), card(3)]
    expect(pair.flush()).toEqual([1, 3, 0, 1, 0, 2, 0, 3])
    return pair
  }

  test("[C-662] a change of an item's field travels as that field", () => {
    const { one, seen, flush } = dealt()
    const [, before] = [...seen.hand]
    const second = one.hand[1]
    if (second !== undefined) second.rank = 9
    // A change: 3 items stay, 1 of them changed: item 1, its rank; none are added.
    expect(flush()).toEqual([2, 3, 1, 1, 0b10, 9, 0])
    expect(seen.hand[1]).toEqual({ suit: "clubs", rank: 9 })
    // What a client held is a value, and stays what it was; the others are the same objects.
    expect(before).toEqual(card(2))
  })

  test("[C-662] items that stay in the list stay the same objects; those before the first change are not sent", () => {
    const { one, flush } = dealt()
    const [first, second, third] = one.hand
    one.hand = [...one.hand, card(4)]
    expect(flush()).toEqual([2, 3, 0, 1, 0, 4])
    one.hand = one.hand.slice(0, 3)
    expect(flush()).toEqual([2, 3, 0, 0])
    one.hand = one.hand.filter((each) => each !== second)
    expect(flush()).toEqual([2, 1, 0, 1, 0, 3])
    expect(one.hand).toEqual([first, third])
    expect(one.hand[1]).toBe(third)
    if (third !== undefined) third.rank = 8
    expect(flush()).toEqual([2, 2, 1, 1, 0b10, 8, 0])
    expect(messageOf(() => Object.assign(second ?? {}, { rank: 1 }))).toBe(
      "one.hand[1] was removed"
    )
    expect(second).toEqual(card(2))
    one.hand = [...one.hand]
    expect(flush()).toBeNull()
  })

  test("[C-662] an item that is there twice is one and its copy", () => {
    const { one } = dealt()
    const [first] = one.hand
    if (first === undefined) return
    one.hand = [first, first]
    first.rank = 7
    expect(one.hand.map(({ rank }) => rank)).toEqual([7, 1])
  })

  test("[C-662] the list itself is no array to push into", () => {
    const { one } = dealt()
    expect(() => Reflect.apply(Array.prototype.push, one.hand, [card(1)])).toThrow(TypeError)
  })
})

describe("an optional struct", () => {
  test("[C-662] is absent at first, and travels whole when it comes and by field when it changes", () => {
    const { one, seen, flush } = pairOf({ aim: s.optional(s.struct({ x: s.u8(), y: s.u8() })) })
    expect([one.aim, seen.aim]).toEqual([undefined, undefined])
    one.aim = { x: 1, y: 2 }
    expect(flush()).toEqual([1, 1, 2])
    const held = one.aim
    if (held !== undefined) held.y = 5
    expect(flush()).toEqual([2, 0b10, 5])
    one.aim = { x: 1, y: 6 }
    expect(one.aim).toBe(held)
    expect(flush()).toEqual([2, 0b10, 6])
    one.aim = undefined
    expect(flush()).toEqual([0])
    expect(seen.aim).toBeUndefined()
    expect(messageOf(() => Object.assign(held ?? {}, { x: 1 }))).toBe("one.aim was removed")
  })
})

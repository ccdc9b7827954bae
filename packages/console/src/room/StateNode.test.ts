import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
import { RoomHarness } from "@atrium/sdk/testing"
import { describe, expect, it } from "vitest"

import { nodeOf, type StateNode } from "./StateNode.ts"

const schema = defineSchema({
  type: "table",
  singletons: {
    // Names that methods of maps and lists have, too.
    pot: {
      get: s.u8({ default: 7 }),
      keys: s.struct({ size: s.u8(), values: s.bool() }),
      chips: s.map(s.string(64), s.u16()),
      tags: s.list(s.string(200), 4),
      bet: s.optional(s.u8()),
      proof: s.bytes(64)
    }
  },
  entities: { seats: { who: s.string(200), hand: s.list(s.struct({ rank: s.u8() }), 2) } }
})

const harness = new RoomHarness(
  defineRoom(schema, {
    onCreate({ state: { pot, seats } }) {
      pot.chips.set("<b>", 3)
      pot.tags = ["a\n\u202e", "x".repeat(200)]
      pot.proof = new Uint8Array([0, 255])
      for (let seat = 0; seat < 150; seat++) seats.add({ who: `p${seat}`, hand: [{ rank: seat }] })
    }
  })
)

/** A tree as its names and texts, as far as the first parts of each branch. */
const drawn = (node: StateNode, parts: number): unknown =>
  node._tag === "Value"
    ? node.text
    : Object.fromEntries(node.children(parts).map((child) => [child.name, drawn(child, parts)]))

describe("a room's state as a tree", () => {
  it("[C-773] has the values of every kind, by their names, keys, places and ids", async () => {
    const { pot, seats } = (await harness.client({ playerId: "ann" }).joinOrCreate(schema)).state
    expect(drawn(nodeOf("pot", pot), 9)).toEqual({
      get: "7",
      keys: { size: "0", values: "false" },
      chips: { '"<b>"': "3" },
      tags: { 0: JSON.stringify("a\n\u202e"), 1: `"${"x".repeat(200)}"` },
      bet: "none",
      proof: "2 bytes: 00 ff"
    })
    const collection = nodeOf("seats", seats)
    expect(drawn(collection, 3)).toEqual({
      "#1": { who: '"p0"', hand: { 0: { rank: "0" } } },
      "#2": { who: '"p1"', hand: { 0: { rank: "1" } } },
      "#3": { who: '"p2"', hand: { 0: { rank: "2" } } }
    })
    expect([collection._tag === "Branch" && collection.count]).toEqual([150])
  })

  it("[C-773] numbers have the digits that tell them apart, and no more", () => {
    const text = (value: number) => drawn(nodeOf("n", value), 0)
    expect([0, -3, 0.5, Math.fround(0.1), 0.1, Math.PI, 1e21, Number.NaN].map(text)).toEqual([
      "0",
      "-3",
      "0.5",
      "0.1",
      "0.1",
      "3.141592653589793",
      "1e+21",
      "NaN"
    ])
    for (const value of [1 / 3, 16777216.5, 1e-40].map(Math.fround)) {
      expect(Math.fround(Number(text(value)))).toBe(value)
    }
  })

  it("[C-773] a preview is one line of a bounded length", () => {
    const preview = (value: unknown) => {
      const node = nodeOf("it", value)
      return node._tag === "Branch" ? node.preview : null
    }
    expect(preview({ x: 1, name: "Ann", hand: [1, 2] })).toBe('x: 1, name: "Ann", hand: …')
    expect(preview(Array.from({ length: 13 }, () => 0))).toMatch(/^0: 0, .*, 11: 0, …$/)
    expect(preview(["y".repeat(100_000)])).toHaveLength(122)
    expect(preview({})).toBe("")
  })
})

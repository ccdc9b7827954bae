import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
import { RoomHarness } from "@atrium/sdk/testing"
import { describe, expect, it } from "vitest"

import { compareSaves, compareStates, listedMax } from "./CompareSaves.ts"

const schema = defineSchema({
  type: "table",
  singletons: {
    pot: {
      coins: s.u16(),
      note: s.string(400),
      chips: s.map(s.string(64), s.u16()),
      bet: s.optional(s.u8()),
      proof: s.bytes(4)
    }
  },
  entities: { seats: { who: s.string(40), hand: s.list(s.struct({ rank: s.u8() }), 2) } },
  rpc: { client: { play: { args: {} } } }
})

const room = defineRoom(schema, {
  onCreate({ state: { pot, seats } }) {
    pot.note = `${"x".repeat(100)}old`
    pot.chips.set("<b>", 3)
    pot.chips.set("gone", 1)
    pot.proof = new Uint8Array([1, 2])
    for (const who of ["ann", "bob"]) seats.add({ who, hand: [{ rank: 1 }] })
  },
  rpc: {
    play({ state: { pot, seats } }) {
      pot.note = `${"x".repeat(100)}new`
      pot.chips.set("<b>", 4)
      pot.chips.delete("gone")
      pot.bet = 5
      pot.proof = new Uint8Array([1, 3])
      const [ann, bob] = [...seats]
      if (ann !== undefined) ann.hand = [{ rank: 2 }]
      if (bob !== undefined) seats.remove(bob.id)
      seats.add({ who: "carol", hand: [] })
    }
  }
})

const stateOf = async (plays: boolean) => {
  const client = await new RoomHarness(room).client({ playerId: "ann" }).joinOrCreate(schema)
  if (plays) await client.request("play", {})
  return client.state
}

describe("two saves that are compared", () => {
  it("[C-776] lists what differs by path, and nothing that is alike", async () => {
    const { changes, total } = compareStates(await stateOf(false), await stateOf(true))
    const byPath = Object.fromEntries(
      changes.map(({ path, before, after }) => [path, [before, after]])
    )
    expect(byPath).toEqual({
      "pot › note": [
        `… (from sign 61) "${"x".repeat(40)}old"`,
        `… (from sign 61) "${"x".repeat(40)}new"`
      ],
      'pot › chips › "<b>"': ["3", "4"],
      'pot › chips › "gone"': ["1", null],
      "pot › bet": ["none", "5"],
      "pot › proof": ["2 bytes: 01 02", "2 bytes: 01 03"],
      "seats › #1 › hand › 0 › rank": ["1", "2"],
      "seats › #2": ['who: "bob", hand: …', null],
      "seats › #3": [null, 'who: "carol", hand: …']
    })
    expect(total).toBe(changes.length)
    const same = compareStates(await stateOf(true), await stateOf(true))
    expect(same).toEqual({ changes: [], total: 0 })
  })

  it("[C-776] counts every change, and lists the first ones", () => {
    const many = (count: number, of: number) => ({
      pot: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, of]))
    })
    const at = compareStates(many(listedMax, 1), many(listedMax, 2))
    expect([at.changes.length, at.total]).toEqual([listedMax, listedMax])
    const past = compareStates(many(listedMax + 1, 1), many(listedMax + 1, 2))
    expect([past.changes.length, past.total]).toEqual([listedMax, listedMax + 1])
  })

  it("[C-776] a part that has become another kind is told, and one that shows the same is not", () => {
    const before = { pot: { size: Number.NaN, zero: 0, of: [1] } }
    const after = { pot: { size: Number.NaN, zero: -0, of: 1 } }
    expect(compareStates(before, after).changes).toEqual([
      { path: "pot › of", before: "0: 1", after: "1" }
    ])
  })

  it("[C-776] bytes that are no save are refused", () => {
    const side = { bytes: new Uint8Array([0xc1]), schema: { type: "t" } }
    expect(() => compareSaves(side, side)).toThrow()
  })
})

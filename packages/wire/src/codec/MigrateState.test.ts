import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { defineSchema } from "../schema/DefineSchema.ts"
import { describe as describeSchema } from "../schema/Describe.ts"
import { s } from "../schema/FieldKinds.ts"
import { arbitrarySchema } from "../schema/testing/ArbitrarySchema.ts"
import { migrateState } from "./MigrateState.ts"
import type { PlainState } from "./PlainState.ts"
import { makeRoomState } from "./RoomState.ts"
import { historyOf, takeStep } from "./testing/History.ts"

const before = defineSchema({
  type: "duel",
  singletons: { match: { round: s.u8(), raw: s.bytes(4) } },
  entities: { fighters: { name: s.string(8), foe: s.ref("fighters") }, tents: { at: s.u8() } }
})
const after = defineSchema({
  type: "duel",
  singletons: { match: { round: s.string(8), raw: s.bytes(4) } },
  entities: {
    fighters: { name: s.string(8), foe: s.ref("fighters"), path: s.list(s.u8(), 2) },
    graves: { name: s.string(8) }
  }
})
const [stored, to] = [describeSchema(before), describeSchema(after)]

const room = makeRoomState(before)
room.state.match.round = 7
room.state.match.raw = Uint8Array.of(1, 2)
for (const name of ["ann", "bea", "cid"]) room.state.fighters.add({ name })
room.state.fighters.remove(2)
for (let at = 0; at < 9; at++) room.state.tents.add({ at })
const bytes = room.encodeSnapshot()

const changed = (change: (old: PlainState) => unknown) => {
  const made = makeRoomState(after)
  made.loadSnapshot(migrateState(bytes, { stored, from: stored, to, change }))
  return made
}
const plain = {
  match: { round: 7, raw: Uint8Array.of(1, 2) },
  fighters: [
    { id: 1, name: "ann", foe: 0 },
    { id: 3, name: "cid", foe: 0 }
  ],
  tents: Array.from({ length: 9 }, (_, at) => ({ id: at + 1, at }))
}
const good = {
  match: { round: "7", raw: new Uint8Array() },
  fighters: [
    { id: 3, name: "cid", foe: 1, path: [1, 2] },
    { id: 1, name: "ann", foe: 0, path: [] }
  ],
  graves: [{ name: "bea" }]
}

describe("a change of a state by code", () => {
  it("[C-704] gets plain frozen values, and its bytes are copies", () => {
    changed((old) => {
      expect(old).toEqual(plain)
      const [first] = [old["fighters"]].flat()
      for (const part of [old, old["match"], old["fighters"], first]) {
        expect(Object.isFrozen(part)).toBe(true)
      }
      return good
    })
  })

  it("[C-704] keeps ids; a record without one gets one that no record had before", () => {
    const { state } = changed(() => good)
    expect(JSON.parse(JSON.stringify(state.fighters))).toEqual([
      { id: 1, name: "ann", foe: 0, path: [] },
      { id: 3, name: "cid", foe: 1, path: [1, 2] }
    ])
    expect(state.fighters.add().id).toBe(4)
    // A new collection begins beyond all others: a reference to a tent finds no grave.
    expect([...state.graves].map(({ id }) => id)).toEqual([10])
    expect(state.graves.add().id).toBe(11)
  })

  it.each<[what: string, made: unknown, fault: string]>([
    ["nothing", undefined, "the state: is missing"],
    ["a list", [], "the state: must be an object"],
    ["a missing singleton", { ...good, match: undefined }, "match: is missing"],
    ["a missing field", { ...good, match: { round: "1" } }, "match.raw: is missing"],
    ["a missing collection", { ...good, graves: undefined }, "graves: is missing"],
    ["no list", { ...good, graves: {} }, "graves: must be a list of records"],
    ["no record", { ...good, graves: [null] }, "graves[0]: must be an object"],
    ["another kind", { ...good, match: { ...good.match, round: 7 } }, "match.round: "],
    [
      "an unknown field",
      { ...good, graves: [{ name: "", x: 1 }] },
      "graves[0].x: there is no such"
    ],
    ["unknown state", { ...good, tents: [] }, "tents: the schema has no such state"],
    [
      "an id twice",
      {
        ...good,
        graves: [
          { id: 1, name: "" },
          { id: 1, name: "" }
        ]
      },
      "the id 1"
    ],
    ["a bad id", { ...good, graves: [{ id: 0, name: "" }] }, "graves[0].id: must be"],
    ["half an id", { ...good, graves: [{ id: 1.5, name: "" }] }, "graves[0].id: must be"]
  ])("[C-704] that gives %s is refused, and names it", (_, made, fault) => {
    expect(() => changed(() => made)).toThrow(fault)
  })

  it("[C-704] begins with the schema that it knows, whatever the state was stored with", () => {
    const older = defineSchema({ type: "duel", singletons: { match: { round: s.u8() } } })
    const made = makeRoomState(older)
    made.state.match.round = 9
    const seen: Array<PlainState> = []
    migrateState(made.encodeSnapshot(), {
      stored: describeSchema(older),
      from: stored,
      to,
      change: (old) => {
        seen.push(old)
        return good
      }
    })
    expect(seen).toEqual([{ match: { round: 9, raw: new Uint8Array() }, fighters: [], tents: [] }])
  })

  it("[C-704] of any state that changes nothing gives the very same state", () => {
    fc.assert(
      fc.property(
        arbitrarySchema.chain((schema) => fc.tuple(fc.constant(schema), historyOf(schema))),
        ([schema, history]) => {
          const any = makeRoomState(schema)
          for (const step of history) takeStep(any, step)
          const snapshot = any.encodeSnapshot()
          const same = describeSchema(schema)
          const change = (old: PlainState) => old
          const again = migrateState(snapshot, { stored: same, from: same, to: same, change })
          expect(again).toEqual(snapshot)
        }
      ),
      { numRuns: 60 }
    )
  })
})

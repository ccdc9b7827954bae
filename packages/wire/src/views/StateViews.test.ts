import { describe, expect, test } from "vitest"

import { makeRoomState } from "../codec/RoomState.ts"
import { makeStateView } from "../codec/StateView.ts"
import { defineSchema } from "../schema/DefineSchema.ts"
import { s } from "../schema/FieldKinds.ts"
import type { StateOf } from "../schema/Inference.ts"
import type { Viewer } from "./Asker.ts"
import { StateViews } from "./StateViews.ts"
import type { Asks, ShapeRules } from "./ViewRule.ts"

const schema = defineSchema({
  type: "fog",
  singletons: { sky: { light: s.u8() } },
  entities: { units: { team: s.u8(), x: s.u8(), plan: s.u8({ default: 9 }) }, walls: { x: s.u8() } }
})

interface Unit {
  readonly team: number
}

const ofTeam: Asks<number> = (team, unit) => (unit as Unit).team === team
const always: Asks<number> = () => true

const stage = (rules: Readonly<Record<string, Partial<ShapeRules<number>>>>) => {
  const room = makeRoomState(schema)
  const failures: Array<string> = []
  const full = new Map(
    Object.entries(rules).map(([name, { record = null, fields = new Map() }]) => [
      name,
      { record, fields }
    ])
  )
  const views = new StateViews<number>(room, full, {
    failed: (path, error) => void failures.push(`${path}: ${String(error)}`),
    viewerReads: () => 0
  })
  const flush = () =>
    views
      .flush()
      .map(({ viewers, delta }): [ReadonlyArray<number | null>, Array<number>] => [
        viewers.map(({ who }) => who),
        [...delta]
      ])
  return { room, views, flush, failures }
}

describe("bytes", () => {
  test("[C-722] what all see is what a room without rules sends, byte for byte", () => {
    const { room, views, flush } = stage({ units: { record: always } })
    const plain = makeRoomState(schema)
    const viewer = views.enter(1)
    const both = [room, plain]
    for (const { state } of both) {
      state.sky.light = 3
      for (const x of [4, 5, 6]) state.units.add({ x })
      state.walls.add({ x: 1 })
    }
    const delta = () => [...(plain.encodeDelta() ?? [])]
    expect(flush()).toEqual([[[1], delta()]])
    for (const { state } of both) {
      const [first, second, third] = state.units
      if (third !== undefined) third.plan = 2
      if (first !== undefined) first.plan = 1
      if (second !== undefined) state.units.remove(second.id)
      state.units.add()
    }
    expect(flush()).toEqual([[[1], delta()]])
    expect([...views.encodeFull(viewer)]).toEqual([...plain.encodeFull()])
  })

  test("[C-722] a record that comes into sight has all its fields, and one that goes is removed", () => {
    const { room, views, flush } = stage({ units: { record: ofTeam } })
    room.state.units.add({ team: 1, x: 7, plan: 8 })
    flush()
    for (const team of [1, 2]) views.enter(team)
    const [unit] = room.state.units
    if (unit === undefined) throw new Error("no unit")
    unit.team = 2
    expect(flush()).toEqual([
      // Section 1, the units: id 1 is removed, nothing is changed.
      [[1], [1, 1, 0, 1, 0]],
      // Nothing is removed; one group: team, x and plan of id 1.
      [[2], [1, 0, 1, 0b111, 1, 0, 1, 2, 7, 8]]
    ])
  })

  test("[C-722] a field that goes out of sight is sent as its default, once", () => {
    const { room, views, flush } = stage({ units: { fields: new Map([["plan", ofTeam]]) } })
    const unit = room.state.units.add({ team: 1, x: 7, plan: 8 })
    flush()
    for (const team of [1, 2]) views.enter(team)
    unit.team = 2
    expect(flush()).toEqual([
      [[1], [1, 0, 1, 0b101, 1, 0, 1, 2, 9]],
      [[2], [1, 0, 1, 0b101, 1, 0, 1, 2, 8]]
    ])
    unit.plan = 5
    expect(flush()).toEqual([[[2], [1, 0, 1, 0b100, 1, 0, 1, 5]]])
  })
})

test("[C-724] viewers who see the same of what changed share one delta, whatever else they see", () => {
  const { room, views, flush } = stage({ units: { record: ofTeam } })
  for (const team of [1, 2, 1, 2]) views.enter(team)
  room.state.walls.add()
  expect(flush().map(([who]) => who)).toEqual([[1, 2, 1, 2]])
  for (const team of [1, 2, 3]) room.state.units.add({ team })
  expect(flush().map(([who]) => who)).toEqual([
    [1, 1],
    [2, 2]
  ])
  for (const unit of room.state.units) if (unit.team === 3) unit.x = 4
  expect(flush()).toEqual([])
})

test("[C-722] nobody in particular sees what no rule is about, and no rule is asked for it", () => {
  let asked = 0
  const counts: Asks<number> = () => (asked += 1) > 0
  const { room, views } = stage({ units: { record: counts, fields: new Map([["x", counts]]) } })
  const copy = makeStateView(schema)
  room.state.units.add()
  room.state.walls.add({ x: 2 })
  views.flush()
  copy.applyFull(views.encodeFull(views.enter(null)))
  expect(JSON.parse(JSON.stringify(copy.state))).toEqual({
    sky: { light: 0 },
    units: [],
    walls: [{ id: 1, x: 2 }]
  })
  expect(asked).toBe(0)
})

test("[C-722] a place that is free again gives its next viewer nothing of the one before", () => {
  const { room, views, flush } = stage({ units: { record: ofTeam } })
  room.state.units.add({ team: 1 })
  flush()
  const first = views.enter(1)
  views.enter(2)
  views.leave(first)
  views.leave(first)
  const next = views.enter(2)
  expect(next.place).toBe(first.place)
  for (const unit of room.state.units) unit.x = 3
  expect(flush()).toEqual([])
})

test("[C-726] a rule is told of again once it has not failed in between", () => {
  let fails = true
  const moody: Asks<number> = () => {
    if (fails) throw new Error("oh")
    return true
  }
  const { views, room, flush, failures } = stage({ units: { record: moody } })
  views.enter(1)
  const add = () => {
    room.state.units.add()
    flush()
    return failures.length
  }
  expect([add(), add()]).toEqual([1, 1])
  fails = false
  add()
  fails = true
  expect([add(), failures[0]]).toEqual([2, "units: Error: oh"])
})

const held = defineSchema({
  type: "held",
  entities: {
    hands: {
      at: s.struct({ x: s.u8() }),
      bag: s.map(s.u8(), s.struct({ count: s.u8() })),
      cards: s.list(s.struct({ rank: s.u8() }), 4),
      next: s.optional(s.struct({ rank: s.u8() }))
    }
  }
})
type Hand = NonNullable<ReturnType<StateOf<typeof held>["hands"]["get"]>>

describe("values within values", () => {
  const heldStage = (asks: (hand: Hand) => boolean) => {
    const room = makeRoomState(held)
    const failures: Array<string> = []
    const record: Asks<number> = (_, hand) => asks(hand as Hand)
    const views = new StateViews<number>(
      room,
      new Map([["hands", { record, fields: new Map() }]]),
      {
        failed: (_, error) => void failures.push(String(error)),
        viewerReads: () => 0
      }
    )
    const hand = room.state.hands.add({
      bag: new Map([[1, { count: 1 }]]),
      cards: [{ rank: 1 }],
      next: { rank: 1 }
    })
    views.flush()
    return { room, views, hand, failures }
  }

  test.each<[string, (hand: Hand) => void]>([
    ["a struct", ({ at }) => void (at.x = 9)],
    ["an entry of a map", ({ bag }) => void bag.set(2, { count: 9 })],
    ["what an entry of a map holds", ({ bag }) => Object.assign(Object(bag.get(1)), { count: 9 })],
    ["the entries of a map", ({ bag }) => void bag.clear()],
    ["an entry that is there", ({ bag }) => void bag.delete(1)],
    ["an item of a list", ({ cards }) => Object.assign(Object(cards[0]), { rank: 9 })],
    ["what an optional holds", ({ next }) => Object.assign(Object(next), { rank: 9 })]
  ])("[C-726] a rule that changes %s fails, and nothing is changed", (_, change) => {
    const { room, views, failures } = heldStage((hand) => {
      change(hand)
      return true
    })
    const before = JSON.stringify(room.state)
    views.enter(1)
    expect(failures).toEqual(["FieldError: hands: cannot change while a rule says who sees what"])
    expect([JSON.stringify(room.state), room.dirty]).toEqual([before, false])
  })

  test.each<[string, (hand: Hand) => void, (hand: Hand) => boolean]>([
    ["a struct", ({ at }) => void (at.x = 9), ({ at }) => at.x === 9],
    [
      "a map",
      ({ bag }) => Object.assign(Object(bag.get(1)), { count: 9 }),
      ({ bag }) => bag.get(1)?.count === 9
    ],
    [
      "a list",
      ({ cards }) => Object.assign(Object(cards[0]), { rank: 9 }),
      ({ cards }) => cards[0]?.rank === 9
    ],
    [
      "an optional",
      ({ next }) => Object.assign(Object(next), { rank: 9 }),
      ({ next }) => next?.rank === 9
    ]
  ])("[C-725] a rule that read within %s is asked again when that changes", (_, change, isSeen) => {
    const { views, hand } = heldStage(isSeen)
    const viewer = views.enter(1)
    const copy = makeStateView(held)
    copy.applyFull(views.encodeFull(viewer))
    expect(copy.state.hands.size).toBe(0)
    change(hand)
    for (const { delta } of views.flush()) copy.applyDelta(delta)
    expect(JSON.stringify(copy.state.hands)).toBe(JSON.stringify([hand]))
  })
})

test("[C-725] what rules say of very many records does not stay when it has changed", () => {
  const random: Asks<number> = (viewer, unit) =>
    ((viewer * 7919) ^ ((unit as { readonly x: number }).x * 104_729)) % 3 === 0
  const { room, views, flush } = stage({ units: { record: random } })
  const viewers: Array<Viewer<number>> = []
  for (let who = 0; who < 70; who += 1) viewers.push(views.enter(who))
  for (let at = 0; at < 20; at += 1) room.state.units.add()
  const copy = makeStateView(schema)
  for (let round = 0; round < 200; round += 1) {
    for (const unit of room.state.units) unit.x = (unit.x * 5 + round + unit.id) % 256
    flush()
  }
  // 4,000 audiences have come and gone.
  expect(views.kept).toBeLessThan(400)
  const last = viewers.at(-1)
  if (last === undefined) throw new Error("no viewer")
  copy.applyFull(views.encodeFull(last))
  const seen = [...room.state.units].filter((unit) => random(69, unit, { state: {}, hidden: {} }))
  expect([...copy.state.units].map(({ id }) => id)).toEqual(seen.map(({ id }) => id))
})

test("[C-722] what is pending must be flushed before somebody comes or is told all", () => {
  const { room, views, flush } = stage({ units: { record: always } })
  const viewer = views.enter(1)
  room.state.walls.add()
  expect(() => views.enter(2)).toThrow("flush first")
  expect(() => views.encodeFull(viewer)).toThrow("flush first")
  flush()
  views.refresh()
  expect(() => views.enter(2)).toThrow("flush first")
})

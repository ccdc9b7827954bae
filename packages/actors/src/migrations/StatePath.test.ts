import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { lastDrain, quarantines, roomPath, StatePath, withoutReturns } from "./StatePath.ts"
import type { Hop, StepOfVersion, VersionStep } from "./VersionStep.ts"

const hop = (from: number, to: number): Hop => ({ from, to })
const stepOf = (version: number, step: Partial<VersionStep>): StepOfVersion => ({
  version,
  step: { strategy: "migrate", discards: false, rooms: {}, players: [], ...step }
})
const led = (...hops: ReadonlyArray<Hop>) => StatePath.Led({ hops })

/** Versions 4 and 6 changed the type `a`, version 5 the type `b`. */
const steps = [
  stepOf(4, { rooms: { a: [hop(3, 4)] } }),
  stepOf(5, { rooms: { b: [hop(4, 5)] } }),
  stepOf(6, { rooms: { a: [hop(5, 6)], b: [hop(5, 6)] } })
]

describe("the path of a room's state", () => {
  it.each([
    [{ from: 3, to: 6, type: "a" }, led(hop(3, 4), hop(5, 6))],
    [{ from: 1, to: 6, type: "a" }, led(hop(3, 4), hop(5, 6))],
    [{ from: 4, to: 6, type: "a" }, led(hop(5, 6))],
    [{ from: 3, to: 5, type: "a" }, led(hop(3, 4))],
    [{ from: 3, to: 6, type: "b" }, led(hop(4, 5), hop(5, 6))],
    [{ from: 3, to: 6, type: "c" }, led()],
    [{ from: 6, to: 6, type: "a" }, led()]
  ])("[C-702] %j goes through every change between, and no other", (span, path) => {
    expect(roomPath(steps, span)).toEqual(path)
  })

  it("[C-990] a version with a quarantine counts for state of before it, also later", () => {
    const some = [stepOf(4, {}), stepOf(5, { quarantine: true }), stepOf(6, {})]
    const spans = [
      [4, 5],
      [3, 6],
      [5, 6],
      [3, 4]
    ] as const
    expect(spans.map(([from, to]) => quarantines(some, { from, to }))).toEqual([
      true,
      true,
      false,
      false
    ])
  })

  it("[C-701] a version between that discards state ends the path; of several the newest counts", () => {
    const discards = [...steps, stepOf(7, { discards: true }), stepOf(8, { discards: true })]
    expect(roomPath(discards, { from: 3, to: 9, type: "a" })).toEqual(
      StatePath.Discarded({ at: 8 })
    )
    expect(roomPath(discards, { from: 3, to: 7, type: "c" })).toEqual(
      StatePath.Discarded({ at: 7 })
    )
    expect(roomPath(discards, { from: 8, to: 9, type: "a" })).toEqual(led())
    expect(roomPath(discards, { from: 3, to: 6, type: "a" })._tag).toBe("Led")
  })

  it("[C-702] over a rollback and back again is the same as nowhere", () => {
    const there = stepOf(7, { rooms: { a: [hop(6, 5), hop(4, 3)] } })
    const again = stepOf(8, { rooms: { a: [hop(3, 4), hop(5, 6)] } })
    const all = [...steps, there, again]
    expect(roomPath(all, { from: 6, to: 8, type: "a" })).toEqual(led())
    expect(roomPath(all, { from: 4, to: 7, type: "a" })).toEqual(led(hop(4, 3)))
    expect(roomPath(all, { from: 3, to: 7, type: "a" })).toEqual(led())
    expect(roomPath(all, { from: 7, to: 8, type: "a" })).toEqual(led(hop(3, 4), hop(5, 6)))
  })

  it("[C-702] never has a change beside its way back, and nothing else is lost", () => {
    const number = fc.integer({ min: 1, max: 4 })
    const anyHops = fc.array(fc.record({ from: number, to: number }), { maxLength: 12 })
    fc.assert(
      fc.property(anyHops, (hops) => {
        const left = withoutReturns(hops)
        for (const [at, { from, to }] of left.entries()) {
          const next = left[at + 1]
          expect(next?.from === to && next.to === from).toBe(false)
        }
        // Pairs alone were taken out.
        expect((hops.length - left.length) % 2).toBe(0)
        expect(withoutReturns(left)).toEqual(left)
      })
    )
  })
})

it("[C-703] the newest version that drains counts", () => {
  expect(lastDrain(steps)).toBe(0)
  const drains = [stepOf(2, { strategy: "drain" }), ...steps, stepOf(9, { strategy: "drain" })]
  expect(lastDrain(drains)).toBe(9)
  expect(lastDrain(drains.slice(0, -1))).toBe(2)
})

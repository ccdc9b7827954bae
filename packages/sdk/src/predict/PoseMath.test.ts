import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { MovingWords } from "../physics/PoseLayout.ts"
import { angleApart, blend, distance, noOffset, offsetOf, shift, shrink } from "./PoseMath.ts"
import { PoseTrail } from "./PoseTrail.ts"

const coordinate = fc.double({ min: -50, max: 50, noNaN: true })

/** Place and rotation. */
const poses = {
  2: fc
    .tuple(coordinate, coordinate, fc.double({ min: -3, max: 3, noNaN: true }))
    .map((words) => filled(2, words)),
  3: fc
    .tuple(coordinate, coordinate, coordinate, coordinate, coordinate, coordinate)
    .map(([x, y, z, qx, qy, qz]) => {
      const length = Math.hypot(qx, qy, qz, 1)
      return filled(3, [x, y, z, qx / length, qy / length, qz / length, 1 / length])
    })
}

const filled = (dimensions: 2 | 3, words: ReadonlyArray<number>): Float32Array => {
  const pose = new Float32Array(MovingWords[dimensions])
  pose.set(words)
  return pose
}

describe.each([2, 3] as const)("in %i dimensions", (dimensions) => {
  const pose = poses[dimensions]

  test("[C-868] a body is drawn where it was before a correction, then ever nearer to where it is", () => {
    fc.assert(
      fc.property(pose, pose, (drawn, now) => {
        const offset = new Float32Array(drawn.length)
        offsetOf(offset, { drawn, pose: now }, dimensions)
        const shown = now.slice()
        shift(shown, offset, dimensions)
        expect(distance(shown, drawn, dimensions)).toBeLessThan(1e-3)
        expect(angleApart(shown, drawn, dimensions)).toBeLessThan(5e-3)
        for (let frame = 0; frame < 60; frame++) shrink(offset, 0.8, dimensions)
        const later = now.slice()
        shift(later, offset, dimensions)
        expect(distance(later, now, dimensions)).toBeLessThan(1e-3)
        expect(angleApart(later, now, dimensions)).toBeLessThan(5e-3)
      })
    )
  })

  test("[C-868] the moment between two poses is between them", () => {
    fc.assert(
      fc.property(pose, pose, (before, after) => {
        const out = new Float32Array(before.length)
        blend(out, { before, after, share: 0.5 }, dimensions)
        const [way, half] = [before, out].map((from) => distance(from, after, dimensions))
        expect(half).toBeCloseTo((way ?? 0) / 2, 3)
        const [turn, halfTurn] = [before, out].map((from) => angleApart(from, after, dimensions))
        expect(halfTurn).toBeLessThanOrEqual((turn ?? 0) / 2 + 1e-2)
      })
    )
  })
})

test("[C-868] no offset changes nothing", () => {
  const pose = filled(3, [1, 2, 3, 0, 0, 0, 1])
  const offset = new Float32Array(pose.length)
  noOffset(offset, 3)
  const shown = pose.slice()
  shift(shown, offset, 3)
  expect([...shown]).toEqual([...pose])
})

describe("a trail", () => {
  const trailOf = (...ticks: ReadonlyArray<number>) => {
    const trail = new PoseTrail({ words: 1, depth: 4 })
    for (const tick of ticks) trail.put(tick)[0] = tick
    return trail
  }
  const around = (trail: PoseTrail, tick: number) => {
    const found = trail.around(tick)
    return found && [found.before[0], found.after[0], found.share]
  }

  test("[C-868] has the poses beside a moment, also where ticks are left out", () => {
    expect(around(trailOf(1, 2, 4), 2.5)).toEqual([2, 4, 0.25])
    expect(around(trailOf(1, 2, 4), 2)).toEqual([2, 4, 0])
  })

  test("[C-868] stands still before its first pose and after its last one", () => {
    expect(around(trailOf(5, 6), 1)).toEqual([5, 5, 0])
    expect(around(trailOf(5, 6), 99.5)).toEqual([6, 6, 0])
    expect(around(trailOf(), 1)).toBeUndefined()
  })

  test("[C-868] forgets what is older than its depth, and what came after a pose that is put anew", () => {
    const trail = trailOf(1, 2, 3, 4, 5)
    expect(trail.at(1)).toBeUndefined()
    expect(trail.at(2)?.[0]).toBe(2)
    trail.put(3)
    expect([trail.newestTick, trail.at(4)]).toEqual([3, undefined])
  })
})

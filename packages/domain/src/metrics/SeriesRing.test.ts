import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { MetricsLimits } from "./MetricsLimits.ts"
import {
  mergedSeries,
  SeriesNames,
  type SeriesPart,
  SeriesRing,
  slotAt,
  slotEndMs
} from "./SeriesRing.ts"

const { max } = MetricsLimits.seriesPoints
const part = (slot: number, value: number, refused: SeriesPart["refused"] = {}): SeriesPart => ({
  slot,
  values: SeriesNames.map(() => value),
  refused
})

describe("the series of a project", () => {
  it("[C-768] a point is of the end of its ten seconds", () => {
    expect([slotAt(9_999), slotAt(10_000), slotEndMs(0)]).toEqual([0, 1, 10_000])
  })

  it("[limits.series.points] [C-768] holds 360 points, and forgets the oldest for the next", () => {
    const ring = new SeriesRing()
    for (let slot = 5; slot < 5 + max; slot++) ring.put(part(slot, slot))
    expect(ring.since(0)).toHaveLength(max)
    expect(ring.since(0)[0]).toEqual(part(5, 5))
    ring.put(part(5 + max, 1))
    expect(ring.since(0)).toHaveLength(max)
    expect(ring.since(0)[0]).toEqual(part(6, 6))
    expect(ring.since(4 + max)).toEqual([part(4 + max, 4 + max), part(5 + max, 1)])
  })

  it("[C-768] a span without a measurement stays a gap, whatever was measured and when", () => {
    const slots = fc.uniqueArray(fc.integer({ min: 0, max: 3 * max }))
    fc.assert(
      fc.property(slots, (measured) => {
        const ring = new SeriesRing()
        const known = new Map<number, SeriesPart>()
        for (const slot of measured.toSorted((a, b) => a - b)) {
          const made = part(slot, slot % 7, slot % 3 === 0 ? { E_ROOM_FULL: slot } : {})
          ring.put(made)
          known.set(slot, made)
        }
        const newest = Math.max(-1, ...measured)
        const expected = [...known.values()].filter(({ slot }) => slot > newest - max)
        expect(ring.since(0)).toEqual(expected)
      })
    )
  })

  it("[C-768] runners add up what each has a part of, and agree on what each knows whole", () => {
    const one = [part(1, 2, { connections: 1 }), part(2, 3)]
    const other = [part(2, 5, { connections: 2 }), part(4, 7)]
    const at2 = SeriesNames.map((_, at) => (at < 6 ? 5 : 8))
    expect(mergedSeries([one, other])).toEqual([
      part(1, 2, { connections: 1 }),
      { slot: 2, values: at2, refused: { connections: 2 } },
      part(4, 7)
    ])
  })
})

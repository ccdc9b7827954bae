import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { cornersOf, distance, fewCorners, lineOf, onPaper } from "./Line.ts"
import { type Hand, Others, packHand, readHand, SilentForMs } from "./Others.ts"
import { CornersMax, Inks, Paper, whiteboard } from "./schema.ts"

const points = fc.record({
  x: fc.integer({ min: 0, max: Paper.width }),
  y: fc.integer({ min: 0, max: Paper.height })
})
const hands: fc.Arbitrary<Hand> = fc.record({
  name: fc.string({ minLength: 1, maxLength: 24 }),
  ink: fc.constantFrom(...Inks),
  at: points,
  line: fc.array(points, { maxLength: CornersMax })
})

describe("a line", () => {
  test("[example.whiteboard] keeps its ends, and no point of it is far from what is kept", () => {
    fc.assert(
      fc.property(fc.array(points, { minLength: 2, maxLength: CornersMax }), (line) => {
        const kept = fewCorners(line)
        expect([kept[0], kept.at(-1)]).toEqual([line[0], line.at(-1)])
        for (const point of line) {
          const near = kept.slice(1).some((to, at) => distance(point, kept[at] ?? to, to) <= 1)
          expect(near).toBe(true)
        }
      })
    )
  })

  test("[example.whiteboard] however long it is, its corners fit into a stroke", () => {
    const field = whiteboard.collections.byName.get("strokes")?.fields[1]?.field
    const wild = Array.from({ length: 5000 }, (_, at) => ({
      x: (at * 7919) % Paper.width,
      y: (at * 104_729) % Paper.height
    }))
    expect(field?.check(cornersOf(wild))).toBe(null)
    expect(cornersOf(wild).length).toBeGreaterThan(2)
    expect(cornersOf([{ x: 3, y: 4 }])).toEqual([3, 4])
    expect(lineOf([3, 4, 5, 6])).toEqual([
      { x: 3, y: 4 },
      { x: 5, y: 6 }
    ])
  })

  test("[example.whiteboard] stays on the paper", () => {
    expect(onPaper({ x: -1, y: 1e9 })).toEqual({ x: 0, y: Paper.height })
    expect(onPaper({ x: 1.4, y: 1.5 })).toEqual({ x: 1, y: 2 })
  })
})

describe("the others", () => {
  test("[example.whiteboard] one page reads what another page sends", () => {
    fc.assert(
      fc.property(hands, (hand) => {
        expect(readHand(packHand(hand))).toEqual(hand)
      })
    )
  })

  test("[example.whiteboard] data of another program is a hand on the paper, or is ignored", () => {
    const hostile = fc.oneof(
      fc.anything(),
      fc.tuple(fc.string(), fc.constantFrom(...Inks), fc.double(), fc.double(), fc.array(fc.nat()))
    )
    fc.assert(
      fc.property(hostile, (data) => {
        const hand = readHand(data)
        if (hand === null) return
        expect(hand.name.length).toBeLessThanOrEqual(24)
        for (const point of [hand.at, ...hand.line]) expect(onPaper(point)).toEqual(point)
      })
    )
    const far = ["a", "ink", 0, 0, Array.from({ length: 2 * CornersMax + 1 }, () => 1)]
    expect(readHand(far)).toBe(null)
  })

  test("[example.whiteboard] forgets a silent client, and shows each client once", () => {
    const others = new Others()
    const hand: Hand = { name: "Ann", ink: "sea", at: { x: 1, y: 2 }, line: [] }
    others.hear("c1", packHand(hand), 0)
    others.hear("c1", packHand({ ...hand, at: { x: 5, y: 6 } }), 1000)
    others.hear("c2", "no hand", 1000)
    expect(others.list(1000).map(({ at }) => at)).toEqual([{ x: 5, y: 6 }])
    expect(others.list(1000 + SilentForMs - 1)).toHaveLength(1)
    expect(others.list(1000 + SilentForMs)).toEqual([])
  })
})

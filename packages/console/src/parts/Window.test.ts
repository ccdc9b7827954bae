import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { windowOf } from "./Window.ts"

describe("the window of a long list", () => {
  it("[C-767] draws what is seen and little else, and keeps the height of all rows", () => {
    const seen = fc.record({
      scrolledPx: fc.integer({ min: -2000, max: 400_000 }),
      seenPx: fc.integer({ min: 1, max: 3000 }),
      rowPx: fc.integer({ min: 20, max: 60 }),
      rows: fc.integer({ min: 0, max: 10_000 })
    })
    fc.assert(
      fc.property(seen, (each) => {
        const { from, to, abovePx, belowPx } = windowOf(each)
        const { scrolledPx, seenPx, rowPx, rows } = each
        expect(abovePx + (to - from) * rowPx + belowPx).toBe(rows * rowPx)
        expect(to - from).toBeLessThanOrEqual(seenPx / rowPx + 50)
        for (let row = 0; row < rows; row += 97) {
          const top = row * rowPx - scrolledPx
          if (top + rowPx > 0 && top < seenPx) expect(row >= from && row < to).toBe(true)
        }
      })
    )
  })

  it("[C-767] stays where it is while a reader scrolls a little", () => {
    const at = (scrolledPx: number) =>
      windowOf({ scrolledPx, seenPx: 700, rowPx: 35, rows: 10_000 })
    expect(at(35 * 121)).toEqual(at(35 * 123))
  })
})

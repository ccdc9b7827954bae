import { eachMeter, type Meter } from "@atrium/domain/meters/Caps"
import { describe, expect, it } from "vitest"

import { burnDown } from "./BurnDown.ts"

const day = 86_400_000
const start = Date.UTC(2026, 10, 1)
const end = Date.UTC(2026, 11, 1)
/** Noon of the 11th: ten full days of the period are over. */
const nowMs = start + 10.5 * day

interface Given {
  readonly meter?: Meter
  readonly tier?: "free" | "card"
  readonly used?: number
  readonly ceiling?: number | null
  /** Uses of the days before today, yesterday first. */
  readonly before?: ReadonlyArray<number>
}

const burn = ({
  meter = "roomHours",
  tier = "free",
  used = 40,
  ceiling = null,
  before = []
}: Given) =>
  burnDown({
    meter,
    caps: {
      tier,
      period: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
      meters: eachMeter({ used, allowance: 100, ceiling, state: "ok" as const })
    },
    days: before.map((use, at) => ({
      day: new Date(start + (9 - at) * day).toISOString().slice(0, 10),
      ...eachMeter(0),
      [meter]: use
    })),
    nowMs
  })

describe("a cap that burns down", () => {
  it("[C-800] the wall comes when the mean of the last seven full days has used up the rest", () => {
    // The eighth day before today counts no more, and today does not yet.
    const { perDay, reachedAtMs, bound, isWall } = burn({ before: [0, 0, 0, 0, 0, 35, 0, 1000] })
    expect([perDay, bound, isWall]).toEqual([5, 100, true])
    expect(reachedAtMs).toBe(nowMs + 12 * day)
  })

  it("[C-800] no wall comes in this period where the mean leaves something over, or nothing is used", () => {
    const left = (end - nowMs) / day
    expect(burn({ used: 100 - left, before: [7] }).reachedAtMs).toBe(null)
    expect(burn({ used: 100 - left + 0.01, before: [7] }).reachedAtMs).toBeLessThan(end)
    expect(burn({ before: [] }).reachedAtMs).toBe(null)
  })

  it("[C-800] a cap that is used up is reached now", () => {
    expect(burn({ used: 100 }).reachedAtMs).toBe(nowMs)
    expect(burn({ used: 0, ceiling: 0 }).reachedAtMs).toBe(nowMs)
  })

  it.each([
    ["free", null, 100, true],
    ["free", 30, 30, true],
    ["free", 300, 100, true],
    ["card", null, 100, false],
    ["card", 300, 300, true]
  ] as const)("[C-800] on %s with a ceiling of %j the bound is %d, a wall: %j", (...given) => {
    const [tier, ceiling, bound, isWall] = given
    expect(burn({ tier, ceiling })).toMatchObject({ bound, isWall })
  })

  it("[C-800] tells the rest of the cap at the start, at the end of each full day, and now", () => {
    const { left } = burn({ used: 21, before: [10, 5] })
    expect(left.slice(0, 2)).toEqual([
      { atMs: start, left: 100 },
      { atMs: start + day, left: 100 }
    ])
    expect(left.slice(-3)).toEqual([
      { atMs: start + 9 * day, left: 95 },
      { atMs: start + 10 * day, left: 85 },
      { atMs: nowMs, left: 79 }
    ])
    expect(left).toHaveLength(12)
    expect(burn({ used: 140, before: [130] }).left.at(-1)?.left).toBe(0)
  })

  it("[C-800] storage is a level: what it has risen by in seven days counts", () => {
    const grows = burn({ meter: "storageBytes", used: 45, before: [44, 0, 0, 0, 0, 0, 0, 9] })
    expect(grows.perDay).toBe(5)
    expect(grows.reachedAtMs).toBe(nowMs + 11 * day)
    expect(grows.left.at(-2)).toEqual({ atMs: start + 10 * day, left: 56 })
    const shrinks = burn({ meter: "storageBytes", used: 20, before: [20, 0, 0, 0, 0, 0, 0, 90] })
    expect(shrinks.reachedAtMs).toBe(null)
  })
})

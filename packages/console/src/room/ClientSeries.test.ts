import { describe, expect, it } from "vitest"

import { noSeries, withLook } from "./ClientSeries.ts"

const client = (clientId: string, ingressBytes: number, egressBytes: number) => ({
  clientId,
  ingressBytes,
  egressBytes
})
const last = ({ points }: ReturnType<typeof withLook>) => points.at(-1)

describe("the series of a room's clients", () => {
  it("[C-774] tells bytes a second between two looks, those of newcomers too", () => {
    const first = withLook(noSeries, [client("a", 100, 5000)], 10_000)
    // What the client had before the page was opened was not in this span.
    expect(last(first)).toEqual({ atMs: 10_000, clients: 1, inPerSecond: null, outPerSecond: null })
    const both = withLook(first, [client("a", 300, 5000), client("b", 40, 80)], 12_000)
    expect(last(both)).toMatchObject({ clients: 2, inPerSecond: 120, outPerSecond: 40 })
    const left = withLook(both, [client("b", 40, 100)], 14_000)
    expect(last(left)).toMatchObject({ clients: 1, inPerSecond: 0, outPerSecond: 10 })
  })

  it("[C-774] has a gap where nobody looked, and keeps ten minutes", () => {
    const first = withLook(noSeries, [client("a", 0, 0)], 0)
    const at = withLook(first, [client("a", 100, 100)], 10_000)
    expect(last(at)?.inPerSecond).toBe(10)
    const past = withLook(first, [client("a", 100, 100)], 10_001)
    expect(last(past)?.inPerSecond).toBe(null)
    let series = noSeries
    for (let look = 0; look < 310; look++) series = withLook(series, [], look * 2000)
    expect([series.points.length, series.points[0]?.atMs]).toEqual([300, 20_000])
  })
})

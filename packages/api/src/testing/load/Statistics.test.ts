import { describe, expect, test } from "vitest"

import { Latencies, median, percentile } from "./Statistics.ts"

describe("median", () => {
  test.each([
    [[], Number.NaN],
    [[7], 7],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5]
  ])("[performance] of %j it is %d", (values, middle) => {
    expect(median(values)).toBe(middle)
  })
})

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)

  test.each([
    [0, 1],
    [0.5, 50],
    [0.501, 51],
    [0.99, 99],
    [1, 100]
  ])("[performance] the share %d of 1 to 100 ends at %d", (share, value) => {
    expect(percentile(hundred, share)).toBe(value)
  })

  test("[performance] of nothing there is none", () => {
    expect(percentile([], 0.5)).toBeNaN()
  })

  test("[performance] the values stay in their order", () => {
    const values = [3, 1, 2]
    percentile(values, 0.5)
    expect(values).toEqual([3, 1, 2])
  })
})

describe("Latencies", () => {
  test("[performance] says what percentile says, to half a step of 10 µs", () => {
    const values = Array.from({ length: 1000 }, (_, index) => ((index * 7919) % 1000) / 37)
    const latencies = new Latencies()
    for (const value of values) latencies.add(value)
    expect(latencies.count).toBe(1000)
    for (const share of [0.01, 0.5, 0.99, 1]) {
      expect(Math.abs(latencies.at(share) - percentile(values, share))).toBeLessThanOrEqual(0.0051)
    }
  })

  test("[performance] a value over 10 s counts as the longest", () => {
    const latencies = new Latencies()
    latencies.add(60_000)
    latencies.add(-1)
    expect([latencies.at(0.5), latencies.at(1)]).toEqual([0.005, 9999.995])
  })

  test("[performance] of nothing there is none", () => {
    expect(new Latencies().at(0.5)).toBeNaN()
  })
})

import { describe, expect, test } from "vitest"

import { Durations } from "./Durations.ts"
import { judge, type Measured } from "./Thresholds.ts"

const spans = (...ms: ReadonlyArray<number>): Durations => {
  const durations = new Durations()
  for (const each of ms) durations.add(each)
  return durations
}
const measured: Measured = {
  joinMs: spans(10, 20, 30, 40),
  patchMs: spans(),
  pingMs: spans(5),
  refused: { count: 2, of: 100 },
  dropped: { count: 0, of: 0 }
}

describe("a threshold", () => {
  test.each([
    ["joinMs", "avg<25", false],
    ["joinMs", "avg<=25", true],
    ["joinMs", "avg >= 25", true],
    ["joinMs", "avg>25", false],
    ["joinMs", "min<=10", true],
    ["joinMs", "max<40", false],
    ["joinMs", "max<=40", true],
    ["joinMs", "med<21", true],
    ["joinMs", "p(75)<29", false],
    ["joinMs", "p(75)<31", true],
    ["pingMs", "p(99.9)<=5", true],
    ["refused", "rate<0.02", false],
    ["refused", "rate<=0.02", true],
    ["refused", "count<2", false],
    ["refused", "count<3", true]
  ] as const)("[sim.load.thresholds] %s %s: %s", (metric, condition, kept) => {
    expect(judge({ [metric]: [condition] }, measured)).toMatchObject([{ metric, condition, kept }])
  })

  test("[sim.load.thresholds] of what was not measured is missed, but nothing is a count of 0", () => {
    expect(judge({ patchMs: ["p(99)<1000"], dropped: ["rate<1", "count<1"] }, measured)).toEqual([
      { metric: "patchMs", condition: "p(99)<1000", value: null, kept: false },
      { metric: "dropped", condition: "rate<1", value: null, kept: false },
      { metric: "dropped", condition: "count<1", value: 0, kept: true }
    ])
  })
})

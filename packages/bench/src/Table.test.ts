import { expect, test } from "vitest"

import { atLeast, atMost } from "./Figure.ts"
import { formatNumber, formatTable } from "./Table.ts"

test.each([
  [195_754.2, "195,754"],
  [1000, "1,000"],
  [240.4, "240"],
  [37.94, "37.9"],
  [1.694, "1.69"],
  [0.1, "0.10"],
  [0.0073, "0.0073"],
  [0, "0.00"],
  [Number.NaN, "–"],
  [Number.POSITIVE_INFINITY, "–"]
])("[performance] %d is written %s", (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

test("[performance] the table shows figure, reference, ratio, goal and whether it is reached", () => {
  const table = formatTable([
    {
      workload: "W1",
      figures: [
        {
          ...{ name: "deliveries per CPU second", unit: "/s" },
          ...{ value: 300_000, raw: 200_000, goal: atLeast(0.9, "ratio") }
        },
        { name: "p50", unit: "ms", value: 7, raw: 2, goal: atMost(6, "value") }
      ],
      faults: [],
      notes: ["small"]
    },
    {
      workload: "W4",
      figures: [{ name: "idle", unit: "cores", value: 0.01, raw: null, goal: null }],
      faults: ["a socket is gone"],
      notes: []
    }
  ])
  expect(table.split("\n")).toEqual([
    "W1 relay fan-out                 atrium        raw   ratio  goal         reached",
    "deliveries per CPU second     300,000/s  200,000/s  1.50 ×  ≥ 0.9 × raw  yes",
    "p50                             7.00 ms    2.00 ms  3.50 ×  ≤ 6 ms       NO",
    "  small",
    "",
    "W4 idle cost                     atrium        raw   ratio  goal         reached",
    "idle                       0.0100 cores",
    "  NOT VALID: a socket is gone"
  ])
})

import { expect, test } from "vitest"

import { atLeast, atMost, besideWs } from "./Figure.ts"
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

test("[performance] the table shows figure, reference, ratio, range, goal and whether it is reached", () => {
  const table = formatTable([
    {
      workload: "W1",
      figures: [
        {
          name: "deliveries per CPU second",
          unit: "/s",
          rounds: [300_000, 100_000, 300_000],
          reference: besideWs([200_000, 100_000, 150_000]),
          goal: atLeast(0.9, "ratio")
        },
        {
          name: "p50",
          unit: "ms",
          rounds: [7],
          reference: { name: "pg", rounds: [2], weakness: "late" },
          goal: atMost(6, "value")
        }
      ],
      faults: [],
      notes: ["small"]
    },
    {
      workload: "W4",
      figures: [{ name: "idle", unit: "cores", rounds: [0.01, 0.03], reference: null, goal: null }],
      faults: ["a socket is gone"],
      notes: []
    }
  ])
  expect(table.split("\n")).toEqual([
    "W1 relay fan-out                 atrium        raw   ratio             range  goal         reached  raw is",
    "deliveries per CPU second     300,000/s  150,000/s  1.50 ×      1.00 to 2.00  ≥ 0.9 × raw  yes      ws",
    "p50                             7.00 ms    2.00 ms  3.50 ×                    ≤ 6 ms       NO       pg (WEAK: late)",
    "  small",
    "",
    "W4 idle cost                     atrium        raw   ratio             range  goal         reached  raw is",
    "idle                       0.0200 cores                     0.0100 to 0.0300",
    "  NOT VALID: a socket is gone"
  ])
})

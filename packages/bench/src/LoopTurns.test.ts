import { expect, test } from "vitest"

import { valueOf } from "./Figure.ts"
import { readTurns, turnFigures } from "./LoopTurns.ts"

const metrics = (counts: ReadonlyArray<readonly [string, number]>): string =>
  counts
    .map(([bound, count]) => `atrium_event_loop_turn_seconds_bucket{le="${bound}"} ${count}`)
    .join("\n")

const before = metrics([
  ["0.005", 90],
  ["0.01", 95],
  ["0.05", 97],
  ["+Inf", 100]
])

test.each([
  [[190, 195, 197, 200], 5, 0],
  [[190, 196, 198, 201], 10, 0],
  [[190, 195, 199, 202], 50, 2],
  [[190, 195, 199, 203], Number.POSITIVE_INFINITY, 3]
])(
  "[performance] of turns counted as %j the longest is at most %d ms, and %d are long",
  (counts, longest, long) => {
    const after = metrics([
      ["0.005", counts[0] ?? 0],
      ["0.01", counts[1] ?? 0],
      ["0.05", counts[2] ?? 0],
      ["+Inf", counts[3] ?? 0]
    ])
    const figures = turnFigures([{ before: readTurns(before), after: readTurns(after) }])
    expect(figures.map(valueOf)).toEqual([longest, long])
    const still = { before: readTurns(before), after: readTurns(before) }
    const ofTwo = turnFigures([{ before: readTurns(before), after: readTurns(after) }, still])
    expect(ofTwo.map(valueOf)).toEqual([longest, long])
  }
)

test("[performance] a service that does not count its turns is told", () => {
  expect(() => readTurns("atrium_sockets 1\n")).toThrow("does not count the turns")
})

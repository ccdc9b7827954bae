import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import fc from "fast-check"
import { expect, test } from "vitest"

import { ServerLimits } from "./ServerLimits.ts"

const budget = ServerLimits.serverBudget.max
const cost = (counts: Partial<Record<RoomClass, number>>): number =>
  (counts.standard ?? 0) * RoomClasses.standard.cost +
  (counts.large ?? 0) * RoomClasses.large.cost +
  (counts.xlarge ?? 0) * RoomClasses.xlarge.cost

test.each([
  ["budget.standard.awake", "standard", 20],
  ["budget.large.awake", "large", 8],
  ["budget.xlarge.awake", "xlarge", 3]
] as const)("[%s] %s: %i rooms fill a server, one more does not fit", (_id, roomClass, rooms) => {
  expect(cost({ [roomClass]: rooms })).toBe(budget)
  expect(cost({ [roomClass]: rooms + 1 })).toBeGreaterThan(budget)
})

test.each([
  ["budget.standard.memory", "standard", 64],
  ["budget.large.memory", "large", 256],
  ["budget.xlarge.memory", "xlarge", 1024]
] as const)("[%s] %s: %i MiB", (_id, roomClass, memoryMiB) => {
  expect(RoomClasses[roomClass].memoryMiB).toBe(memoryMiB)
})

test("[budget.mixed-fractions] classes share one budget by exact fractions", () => {
  expect(cost({ standard: 10, large: 4 })).toBe(budget)
  expect(cost({ xlarge: 2, large: 2, standard: 1 })).toBe(116)
  expect(cost({ xlarge: 2, large: 2, standard: 2 })).toBeGreaterThan(budget)
})

test("[budget.mixed-fractions] a mixture fits exactly when its fractions 1/20, 1/8 and 1/3 add up to at most 1", () => {
  fc.assert(
    fc.property(fc.nat(25), fc.nat(10), fc.nat(4), (standard, large, xlarge) => {
      // Times 20 · 8 · 3: whole numbers, as thirds have no exact decimal.
      const fits = standard * 24 + large * 60 + xlarge * 160 <= 480
      expect(cost({ standard, large, xlarge }) <= budget).toBe(fits)
    })
  )
})

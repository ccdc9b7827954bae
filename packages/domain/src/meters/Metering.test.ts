import { DayMs } from "@atrium/wire/limits/Limit"
import fc from "fast-check"
import { expect, test } from "vitest"

import { Meters } from "./Caps.ts"
import { dayStart, exactAmount, inOwnUnit, periodOfDay } from "./Metering.ts"
import { MeterLimits } from "./MeterLimits.ts"

test("[C-490] a whole ceiling is reached with the last millisecond, and not before", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Meters), fc.integer({ min: 1, max: 1e9 }), (meter, ceiling) => {
      const amount = exactAmount(meter, ceiling)
      expect(inOwnUnit(meter, amount)).toBe(ceiling)
      expect(inOwnUnit(meter, amount - 1)).toBeLessThan(ceiling)
    })
  )
})

test("[limits.amount] an amount is exact up to the most, and never more", () => {
  const { max } = MeterLimits.amount
  expect(exactAmount("dataOutBytes", max)).toBe(max)
  expect(exactAmount("roomHours", max)).toBe(max)
})

test("[C-490] a day begins at midnight in UTC, and is part of its month", () => {
  const at = (text: string) => Date.parse(text)
  const day = at("2026-11-30T00:00:00.000Z")
  for (const moment of [day, day + 1, day + DayMs - 1]) expect(dayStart(moment)).toBe(day)
  expect([dayStart(day - 1), dayStart(day + DayMs)]).toEqual([day - DayMs, day + DayMs])
  expect(periodOfDay(day)).toBe(at("2026-11-01T00:00:00.000Z"))
  expect(periodOfDay(day + DayMs)).toBe(day + DayMs)
})

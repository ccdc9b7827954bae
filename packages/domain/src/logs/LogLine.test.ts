import { DayMs } from "@atrium/wire/limits/Limit"
import { describe, expect, it } from "vitest"

import {
  dayOf,
  dayStart,
  isAtLeast,
  isDayOver,
  lineAtMs,
  lineIdAt,
  LineIds,
  LogLevels,
  oldestShown
} from "./LogLine.ts"

describe("ids of lines", () => {
  it("[C-331] each is greater than the one before, and says its moment", () => {
    const ids = new LineIds()
    const given = [1000, 1000, 999, 1001].map((nowMs) => ids.next(nowMs))
    expect(given).toEqual([1000 * 1024, 1000 * 1024 + 1, 1000 * 1024 + 2, 1001 * 1024])
    expect(given.map(lineAtMs)).toEqual([1000, 1000, 1000, 1001])
  })

  it("[C-331] is a whole number that JavaScript can count to, until the year 2200 and longer", () => {
    expect(Number.isSafeInteger(lineIdAt(Date.UTC(2248, 0)) + 1023)).toBe(true)
  })

  it("[C-330] a day begins at its first millisecond and ends with its last", () => {
    expect(dayOf(dayStart(20_000))).toBe(20_000)
    expect(dayOf(dayStart(20_000) - 1)).toBe(19_999)
  })

  it("[retention.logs] [C-330] a day is over when its last line is 7 days old, and not before", () => {
    const lastMs = 11 * DayMs - 1
    expect(isDayOver(10, lastMs + 7 * DayMs - 1)).toBe(false)
    expect(isDayOver(10, lastMs + 7 * DayMs)).toBe(true)
    expect(lineIdAt(lastMs) >= oldestShown(lastMs + 7 * DayMs - 1)).toBe(true)
    expect(lineIdAt(lastMs) + 1023 >= oldestShown(lastMs + 7 * DayMs)).toBe(false)
  })
})

it("[D-37] a level is at least as important as itself and all before it", () => {
  for (const [at, level] of LogLevels.entries()) {
    expect(LogLevels.filter((least) => isAtLeast(level, least))).toEqual(LogLevels.slice(0, at + 1))
  }
})

import { DayMs } from "@atrium/wire/limits/Limit"
import { DateTime } from "effect"

import { isoOf } from "../shared/IsoText.ts"
import type { Board } from "./Boards.ts"

/** A span of time whose scores are kept apart from those of others. */
export interface BoardPeriod {
  /** `2026-11-23`, `2026-W48`, `2026-11`, `season:one`; `""` = the board has no periods. Source: D-34. */
  readonly name: string
  /** Unix milliseconds. A season, and a board without periods, begin with their first score. */
  readonly startsAtMs: number
}

/** The period of a board at a moment: UTC days, ISO weeks from Monday, UTC months, or a season. Source: D-34. */
export const periodAt = (kind: Board["period"], nowMs: number): BoardPeriod => {
  switch (kind) {
    case undefined:
      return { name: "", startsAtMs: nowMs }
    case "daily":
      return { name: dateOf(dayOf(nowMs)), startsAtMs: dayOf(nowMs) * DayMs }
    case "weekly":
      return weekAt(dayOf(nowMs))
    case "monthly":
      return { name: isoOf(nowMs).slice(0, 7), startsAtMs: startOf("month", nowMs) }
    default:
      return { name: kind, startsAtMs: nowMs }
  }
}

const dayOf = (ms: number): number => Math.floor(ms / DayMs)

const dateOf = (day: number): string => isoOf(day * DayMs).slice(0, 10)

const startOf = (part: "month" | "year", ms: number): number =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.makeUnsafe(ms), part))

/** An ISO week belongs to the year of its Thursday. The first day of 1970 was a Thursday. */
const weekAt = (day: number): BoardPeriod => {
  const monday = day - ((day + 3) % 7)
  const thursdayMs = (monday + 3) * DayMs
  const year = isoOf(thursdayMs).slice(0, 4)
  const newYear = dayOf(startOf("year", thursdayMs))
  const week = Math.floor((monday + 3 - newYear) / 7) + 1
  return { name: `${year}-W${String(week).padStart(2, "0")}`, startsAtMs: monday * DayMs }
}

const periodNames = /^(?:\d{4}-\d\d-\d\d|\d{4}-W\d\d|\d{4}-\d\d|season:[a-z0-9._-]{1,64})$/

/** Whether a text has the form of the name of a period. */
export const isPeriodName = (text: string): boolean => periodNames.test(text)

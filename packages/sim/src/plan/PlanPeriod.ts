import { DayMs, MinuteMs } from "@atrium/wire/limits/Limit"

import { daysOf, type Scenario } from "../scenario/Scenario.ts"
import type { PlanMoment } from "../scenario/Units.ts"

/** The days that a plan covers: a calendar month in UTC, which is also the billing period. */
export interface PlanPeriod {
  /** Unix milliseconds. */
  readonly startMs: number
  readonly days: number
}

/** The month of a plan that names none: it has 30 days and begins on a Monday. */
const fixedMonth = "2026-06"

export const planPeriod = ({ plan }: Scenario): PlanPeriod => {
  const month = plan.month ?? fixedMonth
  return { startMs: Date.parse(`${month}-01T00:00:00.000Z`), days: daysOf(month) }
}

export const periodEndMs = ({ startMs, days }: PlanPeriod): number => startMs + days * DayMs

/** 0 = Sunday, of a moment in Unix milliseconds; 1 January 1970 was a Thursday. */
export const weekdayOf = (atMs: number): number => (Math.floor(atMs / DayMs) + 4) % 7

const sundayFirst = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

/** When a moment of the scenario is, Unix milliseconds. */
export const momentMs = ({ startMs }: PlanPeriod, { day, minuteOfDay }: PlanMoment): number => {
  const index =
    typeof day === "number"
      ? day - 1
      : (sundayFirst.indexOf(day) - weekdayOf(startMs) + sundayFirst.length) % sundayFirst.length
  return startMs + index * DayMs + minuteOfDay * MinuteMs
}

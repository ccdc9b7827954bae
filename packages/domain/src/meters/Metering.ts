import { DayMs, HourMs, MinuteMs } from "@atrium/wire/limits/Limit"

import { billingPeriod, type Meter } from "./Caps.ts"
import { MeterLimits } from "./MeterLimits.ts"

/**
 * What use is counted and stored in, as whole numbers: milliseconds of room hours and of voice minutes,
 * bytes of the others. So many make one of the meter's own unit, in which it is shown. Source: C-490.
 */
export const meterParts: Record<Meter, number> = {
  roomHours: HourMs,
  voiceMinutes: MinuteMs,
  storageBytes: 1,
  dataOutBytes: 1
}

/** @param amount milliseconds or bytes. @returns hours, minutes or bytes */
export const inOwnUnit = (meter: Meter, amount: number): number => amount / meterParts[meter]

/** @param used hours, minutes or bytes. @returns whole milliseconds or bytes */
export const exactAmount = (meter: Meter, used: number): number =>
  Math.min(Math.round(used * meterParts[meter]), MeterLimits.amount.max)

/** The beginning of the day, in UTC, that a moment is in. */
export const dayStart = (atMs: number): number => Math.floor(atMs / DayMs) * DayMs

/** The billing period that a day is part of, by its beginning. */
export const periodOfDay = (dayStartsAtMs: number): number => billingPeriod(dayStartsAtMs).startMs

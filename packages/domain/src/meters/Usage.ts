import { DateTime } from "effect"

import { isoOf } from "../shared/IsoText.ts"
import { billingPeriod, type Meter, Meters } from "./Caps.ts"
import { MeterLimits } from "./MeterLimits.ts"

/** What a project used of each meter on one day, in UTC. */
export interface UsedDay extends Record<Meter, number> {
  /** Such as `2026-11-23`. */
  readonly day: string
}

/** The days that usage is shown for: the calendar month, and the twelve before it. Source: C-508. */
export const usageSpan = (nowMs: number): { readonly fromMs: number; readonly toMs: number } => {
  const { startMs, endMs } = billingPeriod(nowMs)
  const before = 1 - MeterLimits.usageMonths.max
  const from = DateTime.add(DateTime.makeUnsafe(startMs), { months: before })
  return { fromMs: DateTime.toEpochMillis(from), toMs: endMs }
}

/** @param dayMs the beginning of the day, Unix milliseconds */
export const usedDay = (dayMs: number, uses: Record<Meter, number>): UsedDay => ({
  day: isoOf(dayMs).slice(0, "2026-11-23".length),
  roomHours: uses.roomHours,
  voiceMinutes: uses.voiceMinutes,
  storageBytes: uses.storageBytes,
  dataOutBytes: uses.dataOutBytes
})

/** The days as a table of RFC 4180: a line of names, then a line for each day. */
export const usageCsv = (days: ReadonlyArray<UsedDay>): string =>
  [
    ["day", ...Meters].join(","),
    ...days.map((used) => [used.day, ...Meters.map((meter) => used[meter])].join(","))
  ]
    .map((line) => `${line}\r\n`)
    .join("")

/** How much a client wants a media type, from 0 to 1. */
const weightOf = (members: ReadonlyArray<string>, type: string): number => {
  const ranges = [type, `${type.split("/")[0]}/*`, "*/*"]
  for (const range of ranges) {
    const member = members.find((each) => each.split(";")[0]?.trim() === range)
    if (member === undefined) continue
    const weight = Number(/;\s*q=([\d.]+)/.exec(member)?.[1] ?? "1")
    return weight >= 0 && weight <= 1 ? weight : 0
  }
  return 0
}

/** Whether a client wants the table rather than JSON, by its `accept` header. */
export const wantsCsv = (accept: string | undefined): boolean => {
  const members = (accept ?? "*/*").toLowerCase().split(",")
  return weightOf(members, "text/csv") > weightOf(members, "application/json")
}

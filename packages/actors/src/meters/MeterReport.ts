import type { Meter } from "@atrium/domain/meters/Caps"
import { periodOfDay } from "@atrium/domain/meters/Metering"
import type { ProjectId } from "@atrium/domain/shared/Ids"

/** What a project used of a meter on one day, in milliseconds or bytes. */
export interface MeterSum {
  readonly projectId: ProjectId
  readonly meter: Meter
  /** Of the day in UTC, Unix milliseconds. */
  readonly dayStartsAtMs: number
  readonly amount: number
}

/**
 * What a runner counted since the report before. A runner sends a report again, unchanged, until it
 * hears that the report was taken; only then it sends the next one.
 */
export interface MeterReport {
  /** One run of a runner's process: a runner that starts again has another. */
  readonly run: string
  /** 1 for the first report of a run, then one more each time. */
  readonly sequence: number
  readonly sums: ReadonlyArray<MeterSum>
}

/** What a project used of a meter in the billing period that begins at a moment. */
export interface PeriodSum {
  readonly projectId: ProjectId
  readonly meter: Meter
  readonly startMs: number
  readonly amount: number
}

/** The sums of days, added up by billing period. */
export const byPeriod = (sums: ReadonlyArray<MeterSum>): ReadonlyArray<PeriodSum> => {
  const periods = new Map<string, PeriodSum>()
  for (const { projectId, meter, dayStartsAtMs, amount } of sums) {
    const startMs = periodOfDay(dayStartsAtMs)
    const key = `${projectId}/${meter}/${startMs}`
    const before = periods.get(key)?.amount ?? 0
    periods.set(key, { projectId, meter, startMs, amount: before + amount })
  }
  return [...periods.values()]
}

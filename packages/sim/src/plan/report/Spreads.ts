import { DateTime } from "effect"

import { quantile } from "../../Statistics.ts"
import type { Moments, Spread } from "./PlanReport.ts"

/** Figures of a report have five digits, and what is left of sums that should be 0 is 0. */
export const rounded = (value: number): number =>
  Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(5))

const ascending = (values: ReadonlyArray<number>): Float64Array => new Float64Array(values).sort()

export const spreadOf = (values: ReadonlyArray<number>): Spread => {
  const sorted = ascending(values)
  return {
    p5: rounded(quantile(sorted, 0.05)),
    p50: rounded(quantile(sorted, 0.5)),
    p95: rounded(quantile(sorted, 0.95))
  }
}

export const isoText = (atMs: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(Math.round(atMs / 1000) * 1000)).replace(".000Z", "Z")

/** @param moments of each run; `null` = it did not come in that run */
export const momentsOf = (moments: ReadonlyArray<number | null>): Moments => {
  const sorted = ascending(moments.filter((each) => each !== null))
  if (sorted.length === 0) return null
  return {
    earliest: isoText(sorted[0] ?? 0),
    median: isoText(quantile(sorted, 0.5)),
    latest: isoText(sorted.at(-1) ?? 0),
    inRuns: rounded(sorted.length / moments.length)
  }
}

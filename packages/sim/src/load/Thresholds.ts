import type { Scenario } from "../scenario/Scenario.ts"

/** The form of a condition; the file's schema has refused any other. */
const form = /^(avg|med|min|max|rate|count|p\(([0-9.]+)\))\s*(<=|>=|<|>)\s*([0-9]+(?:\.[0-9]+)?)$/

/** Spans of time, as a threshold asks about them. */
export interface Trend {
  readonly count: number
  readonly avg: number
  readonly min: number
  readonly max: number
  at(percent: number): number
}

/** So many of all. */
export interface Share {
  readonly count: number
  readonly of: number
}

/** The figures of a run that thresholds are about. */
export interface Measured {
  readonly joinMs: Trend
  readonly patchMs: Trend
  readonly pingMs: Trend
  readonly refused: Share
  readonly dropped: Share
}

/** A threshold after a run. */
export interface Judged {
  readonly metric: keyof Measured
  readonly condition: string
  /** `null` = nothing was measured, and so nothing is kept. */
  readonly value: number | null
  readonly kept: boolean
}

type Thresholds = NonNullable<Scenario["load"]>["thresholds"]

const metrics = ["joinMs", "patchMs", "pingMs", "refused", "dropped"] as const

/** What a run has kept of the thresholds, in the order of the metrics. */
export const judge = (thresholds: Thresholds, measured: Measured): ReadonlyArray<Judged> =>
  metrics.flatMap((metric) =>
    (thresholds[metric] ?? []).map((condition): Judged => {
      const [, name = "", percent = "", comparison = "", bound = ""] = form.exec(condition) ?? []
      const of = measured[metric]
      const value = "of" in of ? shareOf(of, name) : trendOf(of, name, Number(percent))
      const kept = value !== null && isKept(value, comparison, Number(bound))
      return { metric, condition, value, kept }
    })
  )

const shareOf = ({ count, of }: Share, name: string): number | null => {
  if (name === "count") return count
  return of === 0 ? null : count / of
}

const trendOf = (trend: Trend, name: string, percent: number): number | null => {
  if (trend.count === 0) return null
  switch (name) {
    case "avg":
    case "min":
    case "max":
      return trend[name]
    case "med":
      return trend.at(50)
    default:
      return trend.at(percent)
  }
}

const isKept = (value: number, comparison: string, bound: number): boolean => {
  switch (comparison) {
    case "<":
      return value < bound
    case "<=":
      return value <= bound
    case ">":
      return value > bound
    default:
      return value >= bound
  }
}

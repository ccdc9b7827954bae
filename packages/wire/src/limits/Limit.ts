/**
 * The kinds of limits, and how a row is written: what it bounds, whose it is, and what happens past it.
 * Each noun has one file of rows. No other file holds a number that is such a row. Sizes in bytes, spans in milliseconds.
 */

export const KiB = 1024
export const MiB = 1024 * KiB
export const GiB = 1024 * MiB
export const SecondMs = 1000
export const MinuteMs = 60 * SecondMs
export const HourMs = 60 * MinuteMs
export const DayMs = 24 * HourMs

/** The longest wait of a timer: the timers of JavaScript fire at once past it. */
export const TimerMsMax = 2 ** 31 - 1

/** At most `max` things. */
export interface CountLimit {
  readonly kind: "count"
  readonly says: string
  readonly max: number
  readonly per: string
  readonly past: string
}

/** A whole number from `min` to `max` that somebody chooses. */
export interface RangeLimit {
  readonly kind: "range"
  readonly says: string
  readonly min: number
  readonly max: number
  readonly per: string
  readonly past: string
}

/** At most `max` bytes. */
export interface SizeLimit {
  readonly kind: "size"
  readonly says: string
  readonly max: number
  readonly per: string
  readonly past: string
}

/** A token bucket: `burst` tokens at most, refilled with `tokens` every `everyMs`. */
export interface RateLimit {
  readonly kind: "rate"
  readonly says: string
  readonly burst: number
  readonly tokens: number
  readonly everyMs: number
  readonly per: string
  readonly past: string
}

/** A span of time. */
export interface SpanLimit {
  readonly kind: "span"
  readonly says: string
  readonly ms: number
  readonly per: string
  readonly past: string
}

export type Limit = CountLimit | RangeLimit | SizeLimit | RateLimit | SpanLimit

export const count = (says: string, row: Omit<CountLimit, "kind" | "says">): CountLimit => ({
  kind: "count",
  says,
  ...row
})
export const range = (says: string, row: Omit<RangeLimit, "kind" | "says">): RangeLimit => ({
  kind: "range",
  says,
  ...row
})
export const size = (says: string, row: Omit<SizeLimit, "kind" | "says">): SizeLimit => ({
  kind: "size",
  says,
  ...row
})
export const rate = (says: string, row: Omit<RateLimit, "kind" | "says">): RateLimit => ({
  kind: "rate",
  says,
  ...row
})
export const span = (says: string, row: Omit<SpanLimit, "kind" | "says">): SpanLimit => ({
  kind: "span",
  says,
  ...row
})

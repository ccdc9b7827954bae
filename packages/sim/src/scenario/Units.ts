import { DayMs, GiB, HourMs, KiB, MiB, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"
import { durationMs } from "@atrium/wire/time/Duration"
import { Schema, SchemaGetter } from "effect"

import { ScenarioLimits } from "./ScenarioLimits.ts"

/** A quantity that a scenario writes with its unit. */
interface Unit {
  readonly message: string
  /** JSON Schema's form of the text. */
  readonly pattern: string
  /** The quantity; `null` = the value has another form. */
  readonly read: (written: string | number) => number | null
  /** `read` gives the same quantity back. */
  readonly print: (quantity: number) => string | number
}

const NumberOrText = Schema.Union([Schema.String, Schema.Finite])

const unit = <S extends typeof Schema.String | typeof NumberOrText>(
  written: S,
  { message, pattern, read, print }: Unit
) =>
  written
    .annotate({ message })
    .check(
      Schema.makeFilter((written) => read(written) !== null || message, {
        toJsonSchema: () => ({ pattern })
      })
    )
    .pipe(
      Schema.decodeTo(Schema.Finite, {
        decode: SchemaGetter.transform((written) => read(written) ?? Number.NaN),
        encode: SchemaGetter.transform(print)
      })
    )

const TiB = 1024 * GiB
/** The largest first, and of two equal ones the name that is printed. Source: T-KB. */
const byteUnits: ReadonlyArray<readonly [name: string, bytes: number]> = [
  ["TB", TiB],
  ["GB", GiB],
  ["MB", MiB],
  ["KB", KiB],
  ["TiB", TiB],
  ["GiB", GiB],
  ["MiB", MiB],
  ["KiB", KiB],
  ["B", 1]
]
const bytePattern = /^((?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,6})?)([KMGT]i?B|B)$/

const readBytes = (written: string | number): number | null => {
  const [, digits, name] = bytePattern.exec(String(written)) ?? []
  const factor = byteUnits.find(([each]) => each === name)?.[1]
  const bytes = factor === undefined ? Number(written) : Number(digits) * factor
  const isNumber = typeof written === "number" || factor !== undefined
  return isNumber && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
}

const printBytes = (bytes: number): string | number => {
  const found = byteUnits.find(
    ([, factor]) => factor > 1 && bytes >= factor && bytes % factor === 0
  )
  return found === undefined ? bytes : `${bytes / found[1]}${found[0]}`
}

/** Bytes: `64KB`, `8TB`, `32GiB`, or a number of bytes. All units are binary. Source: T-KB. */
export const Bytes = unit(NumberOrText, {
  message:
    "must be a whole number of bytes, or a size such as 64KB, 1.5GB or 32GiB (1 KB = 1024 B)",
  pattern: bytePattern.source,
  read: readBytes,
  print: printBytes
}).pipe(Schema.brand("Bytes"))

const shortSpan = /^(0|[1-9][0-9]{0,11})(ms|s)$/
const spanUnits: ReadonlyArray<readonly [name: string, ms: number]> = [
  ["d", DayMs],
  ["h", HourMs],
  ["m", MinuteMs],
  ["s", SecondMs]
]

const readSpan = (written: string | number): number | null => {
  const [, digits, name] = shortSpan.exec(String(written)) ?? []
  if (name === undefined) return durationMs(String(written))
  const ms = Number(digits) * (name === "s" ? SecondMs : 1)
  return ms <= ScenarioLimits.span.ms ? ms : null
}

const printSpan = (ms: number): string => {
  const found = spanUnits.find(([, factor]) => ms >= factor && ms % factor === 0)
  if (found !== undefined) return `${ms / found[1]}${found[0]}`
  return ms === 0 ? "0s" : `${ms}ms`
}

/** Milliseconds: a duration of the project file (`4m`, `36h`, `30d`), or one in `s` or `ms`. */
export const Span = unit(Schema.String, {
  message: "must be a span such as 500ms, 30s, 4m, 36h or 30d, at most 3650d",
  pattern: "^(0|[1-9][0-9]{0,11})(ms|s|m|h|d)$",
  read: readSpan,
  print: printSpan
}).pipe(Schema.brand("Ms"))

const percent = /^((?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,12})?)%$/

const readShare = (written: string | number): number | null => {
  const [, digits] = percent.exec(String(written)) ?? []
  const share = digits === undefined ? written : Number(digits) / 100
  return typeof share === "number" && share >= 0 && share <= 1 ? share : null
}

const printShare = (share: number): string | number => {
  const text = `${Number((share * 100).toPrecision(12))}%`
  return readShare(text) === share ? text : share
}

/** A part of a whole, from 0 to 1: `30%`, or `0.3`. */
export const Share = unit(NumberOrText, {
  message: "must be a share from 0% to 100%, or from 0 to 1",
  pattern: percent.source,
  read: readShare,
  print: printShare
}).pipe(Schema.brand("Share"))

const timeOfDay = /^([01][0-9]|2[0-3]):([0-5][0-9])$/

const readTimeOfDay = (written: string | number): number | null => {
  const [, hours, minutes] = timeOfDay.exec(String(written)) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

const printTimeOfDay = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, "0")).join(":")

/** Minutes since midnight: `20:30`. */
export const TimeOfDay = unit(Schema.String, {
  message: "must be a time of day from 00:00 to 23:59, such as 20:30",
  pattern: timeOfDay.source,
  read: readTimeOfDay,
  print: printTimeOfDay
}).pipe(Schema.brand("MinuteOfDay"))

const Weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

/** A moment of the plan's days. */
export interface PlanMoment {
  /** A day of the plan, counted from 1; or the first such weekday of the plan. */
  readonly day: number | (typeof Weekdays)[number]
  readonly minuteOfDay: number
}

const planMoment =
  /^(?:day ([1-9]|[12][0-9]|3[01])|(mon|tue|wed|thu|fri|sat|sun))(?: (\d\d:\d\d))?$/
const planMomentMessage =
  "must be a day of the plan such as day 12 or day 12 18:00, or a weekday such as sat 18:00"

const readPlanMoment = (written: string): PlanMoment | null => {
  const [whole, day, name, time = "00:00"] = planMoment.exec(written) ?? []
  const minuteOfDay = readTimeOfDay(time)
  if (whole === undefined || minuteOfDay === null) return null
  const weekday = Weekdays.find((each) => each === name)
  return { day: weekday ?? Number(day), minuteOfDay }
}

const printPlanMoment = ({ day, minuteOfDay }: PlanMoment): string => {
  const date = typeof day === "number" ? `day ${day}` : day
  return minuteOfDay === 0 ? date : `${date} ${printTimeOfDay(minuteOfDay)}`
}

/** When something happens, in UTC: `sat 18:00` (the first one of the plan) or `day 12 18:00`. */
export const Moment = Schema.String.annotate({ message: planMomentMessage })
  .check(
    Schema.makeFilter((written) => readPlanMoment(written) !== null || planMomentMessage, {
      toJsonSchema: () => ({ pattern: planMoment.source })
    })
  )
  .pipe(
    Schema.decodeTo(
      Schema.Struct({
        day: Schema.Union([Schema.Int, Schema.Literals(Weekdays)]),
        minuteOfDay: Schema.Int
      }),
      {
        // The check above has passed, so there is a moment.
        decode: SchemaGetter.transform((written) => readPlanMoment(written) ?? noMoment),
        encode: SchemaGetter.transform(printPlanMoment)
      }
    )
  )

const noMoment: PlanMoment = { day: Number.NaN, minuteOfDay: 0 }

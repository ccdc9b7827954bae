import type { Meter } from "@atrium/domain/meters/Caps"
import type { Caps } from "@atrium/domain/meters/CapsApi"
import type { Usage } from "@atrium/domain/meters/UsageApi"
import { DayMs } from "@atrium/wire/limits/Limit"

/** What is left of a cap at a moment, in the unit of its meter. */
export interface Left {
  readonly atMs: number
  readonly left: number
}

/** A cap as it burns down over the billing period. */
export interface BurnDown {
  /** The least bound that refuses work, else the allowance. */
  readonly bound: number
  /** Work is refused at the bound; `false` = the allowance alone, which only warns. */
  readonly isWall: boolean
  readonly left: ReadonlyArray<Left>
  /** The mean of the last seven full days: use a day, of storage growth a day. */
  readonly perDay: number
  /** When nothing is left at that mean; `null` = not in this period. */
  readonly reachedAtMs: number | null
}

interface Burning {
  readonly meter: Meter
  readonly caps: Pick<Caps, "tier" | "period" | "meters">
  readonly days: Usage["days"]
  readonly nowMs: number
}

/** Days of the mean. */
const meanDays = 7

/** Source: C-800. */
export const burnDown = ({ meter, caps, days, nowMs }: Burning): BurnDown => {
  const { used, allowance, ceiling } = caps.meters[meter]
  const walls = [ceiling, caps.tier === "free" ? allowance : null].filter((one) => one !== null)
  const isWall = walls.length > 0
  const bound = isWall ? Math.min(...walls) : allowance
  const uses = new Map(days.map((used) => [used.day, used[meter]]))
  const todayMs = Math.floor(nowMs / DayMs) * DayMs
  const useOf = (ago: number): number => uses.get(dayOf(todayMs - ago * DayMs)) ?? 0
  const isLevel = meter === "storageBytes"
  const perDay = isLevel ? growthOf(useOf) : meanOf(useOf)
  const [startMs, endMs] = [Date.parse(caps.period.start), Date.parse(caps.period.end)]
  const passed = daysBetween(startMs, todayMs).map((atMs) => ({
    atMs,
    use: uses.get(dayOf(atMs)) ?? 0
  }))
  return {
    bound,
    isWall,
    left: leftOver(passed, { bound, used, startMs, nowMs, isLevel }),
    perDay,
    reachedAtMs: reachedAt({ left: bound - used, perDay, nowMs, endMs })
  }
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)

const meanOf = (useOf: (ago: number) => number): number =>
  Array.from({ length: meanDays }, (_, at) => useOf(at + 1)).reduce((sum, use) => sum + use, 0) /
  meanDays

/** A level is not used up: what counts is how much it has risen. */
const growthOf = (levelOf: (ago: number) => number): number =>
  (levelOf(1) - levelOf(meanDays + 1)) / meanDays

/** The full days of a period before today. */
const daysBetween = (startMs: number, todayMs: number): ReadonlyArray<number> =>
  Array.from(
    { length: Math.max(0, Math.round((todayMs - startMs) / DayMs)) },
    (_, at) => startMs + at * DayMs
  )

interface Passed {
  readonly atMs: number
  readonly use: number
}
interface Period {
  readonly bound: number
  readonly used: number
  readonly startMs: number
  readonly nowMs: number
  readonly isLevel: boolean
}

/** What was left at the end of each day, and what is left now. */
const leftOver = (
  passed: ReadonlyArray<Passed>,
  { bound, used, startMs, nowMs, isLevel }: Period
): ReadonlyArray<Left> => {
  let sum = 0
  const ends = passed.map(({ atMs, use }) => {
    sum = isLevel ? use : sum + use
    return { atMs: atMs + DayMs, left: Math.max(0, bound - sum) }
  })
  const first = isLevel ? [] : [{ atMs: startMs, left: bound }]
  return [...first, ...ends, { atMs: nowMs, left: Math.max(0, bound - used) }]
}

interface Course {
  readonly left: number
  readonly perDay: number
  readonly nowMs: number
  readonly endMs: number
}

const reachedAt = ({ left, perDay, nowMs, endMs }: Course): number | null => {
  if (left <= 0) return nowMs
  if (perDay <= 0) return null
  const atMs = nowMs + (left / perDay) * DayMs
  return atMs < endMs ? atMs : null
}

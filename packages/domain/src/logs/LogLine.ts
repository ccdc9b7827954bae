import { DayMs } from "@atrium/wire/limits/Limit"
import { Schema } from "effect"

import { Moment } from "../http/Moment.ts"
import { LogLimits } from "./LogLimits.ts"

/** Levels of log lines, the least important first. */
export const LogLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LogLevels)[number]

/** Tells whether a level is at least as important as another. */
export const isAtLeast = (level: LogLevel, least: LogLevel): boolean =>
  LogLevels.indexOf(level) >= LogLevels.indexOf(least)

/** A line of a room as a developer reads it. Source: D-37. */
export const LogLine = Schema.Struct({
  at: Moment,
  roomId: Schema.String,
  level: Schema.Literals(LogLevels),
  line: Schema.String
}).annotate({ identifier: "LogLine", description: "A line that the code of a room logged." })
export type LogLine = typeof LogLine.Type

/**
 * A line as the service keeps it. Its id is a moment and a place within that moment: ids of a runner
 * grow, and those of a later moment are greater than those of an earlier one. Source: C-331.
 */
export interface KeptLine {
  readonly lineId: number
  readonly roomId: string
  readonly level: LogLevel
  readonly line: string
}

const linesPerMs = 1024

/** The least id that a line of this moment can have. */
export const lineIdAt = (atMs: number): number => atMs * linesPerMs

/** The moment of a line. */
export const lineAtMs = (lineId: number): number => Math.floor(lineId / linesPerMs)

/** The least id of a line that may still be shown. */
export const oldestShown = (nowMs: number): number => lineIdAt(nowMs - LogLimits.logKept.ms + 1)

/** The day of a line, counted from 1970. Lines are kept by day. */
export const dayOf = (lineId: number): number => Math.floor(lineAtMs(lineId) / DayMs)

/** The least id of a day. */
export const dayStart = (day: number): number => lineIdAt(day * DayMs)

/** Tells whether every line of a day is too old to be shown. */
export const isDayOver = (day: number, nowMs: number): boolean =>
  dayStart(day + 1) <= oldestShown(nowMs)

/** Gives lines their ids: each greater than the one before, also when the clock goes back. */
export class LineIds {
  #last = 0

  next(nowMs: number): number {
    this.#last = Math.max(this.#last + 1, lineIdAt(nowMs))
    return this.#last
  }
}

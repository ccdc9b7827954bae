import type { LogLine } from "@atrium/domain/logs/LogLine"
import { visibleText } from "@atrium/domain/shared/VisibleText"

import { levelText, type Paint } from "../terminal/Paint.ts"
import { printable, printableLines } from "../terminal/Printable.ts"

/** A line of a room for people: what it says on several lines stands under it, further in. */
export const lineText = (paint: Paint, { at, roomId, level, line }: LogLine): string =>
  `${paint.aside(printable(at))} ${levelText(paint, level, level.toUpperCase().padEnd(5))} ${printable(roomId)}  ${printableLines(line).replaceAll("\n", "\n    ")}`

/** The fields of a line that programs read, in their order. */
export const shownLine = ({ at, roomId, level, line }: LogLine): LogLine => ({
  at,
  roomId,
  level,
  line
})

/** A line of a room for programs, without characters that act on a terminal. */
export const lineJson = (line: LogLine): string => visibleText(JSON.stringify(shownLine(line)))

/** What is said where lines are missing. */
export const missedText = (lines: number | null): string =>
  lines === null
    ? "… older lines were left out"
    : `… ${lines} lines were left out, as this terminal reads too slowly`

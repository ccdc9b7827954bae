import { TextLimits } from "./TextLimits.ts"

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/**
 * A log line at its limit of 8,192 UTF-16 units, the rest cut; one unit earlier where the cut would
 * split a character. Source: spec "Log line"; T-47.
 */
export const cutLogLine = (line: string): string => {
  const { max } = TextLimits.logLineUnits
  if (line.length <= max) return line
  return line.slice(0, isHighSurrogate(line.charCodeAt(max - 1)) ? max - 1 : max)
}

const UnitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const MaxMs = 3650 * UnitMs.d

/** Grammar of a duration: one integer, one unit. Source: spec "Duration"; D-09. */
export const DurationPattern = /^([1-9][0-9]{0,6})([mhd])$/

/**
 * Reads a duration such as `10m`, `36h` or `30d`.
 *
 * @returns milliseconds, or `null` when the text is not a duration of 1m to 3650d
 */
export const durationMs = (text: string): number | null => {
  const match = DurationPattern.exec(text)
  if (match === null) return null
  const [, digits, unit] = match
  if (unit !== "m" && unit !== "h" && unit !== "d") return null
  const ms = Number(digits) * UnitMs[unit]
  return ms <= MaxMs ? ms : null
}

/** Writes a span of whole minutes, 1m to 3650d, as a duration in its largest whole unit: `7d`, `36h`, `90m`. */
export const durationText = (ms: number): string => {
  if (ms % UnitMs.d === 0) return `${ms / UnitMs.d}d`
  return ms % UnitMs.h === 0 ? `${ms / UnitMs.h}h` : `${ms / UnitMs.m}m`
}

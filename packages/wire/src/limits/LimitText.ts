import { HourMs, KiB, MiB, MinuteMs, SecondMs, type SizeLimit, type SpanLimit } from "./Limit.ts"

/** A size in its largest whole unit: `512 bytes`, `64 KiB`, `1 MiB`. */
export const sizeText = ({ max }: SizeLimit): string => {
  if (max % MiB === 0) return `${max / MiB} MiB`
  return max % KiB === 0 ? `${max / KiB} KiB` : `${max} bytes`
}

const units = [
  ["hour", HourMs],
  ["minute", MinuteMs],
  ["second", SecondMs]
] as const

/** A span in its largest whole unit: `10 minutes`, `1 second`. */
export const spanText = ({ ms }: SpanLimit): string => {
  const [unit, unitMs] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ["ms", 1]
  const number = ms / unitMs
  return `${number} ${unit}${number === 1 || unitMs === 1 ? "" : "s"}`
}

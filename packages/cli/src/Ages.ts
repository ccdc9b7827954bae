const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000]
] as const

/** A span in its largest whole unit: `3h`; less than a second is `0s`. */
const spanText = (ms: number): string => {
  const [unit, unitMs] = units.find(([, unitMs]) => ms >= unitMs) ?? ["s", 1000]
  return `${Math.floor(ms / unitMs)}${unit}`
}

/**
 * How far a moment is from now, for people: `5s ago`, `in 3d`, `now`.
 *
 * @param at ISO 8601; `null` = `none`. What is no moment is shown as it is.
 */
export const ageText = (at: string | null, nowMs: number, none: string): string => {
  if (at === null) return none
  const agoMs = nowMs - Date.parse(at)
  if (Number.isNaN(agoMs)) return at
  if (Math.abs(agoMs) < 1000) return "now"
  return agoMs > 0 ? `${spanText(agoMs)} ago` : `in ${spanText(-agoMs)}`
}

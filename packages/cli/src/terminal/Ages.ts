const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000]
] as const

/** A past span in its largest whole unit: `3h`; less than a second is `0s`. */
const elapsedText = (ms: number): string => {
  const [unit, unitMs] = units.find(([, unitMs]) => ms >= unitMs) ?? ["s", 1000]
  return `${Math.floor(ms / unitMs)}${unit}`
}

/**
 * A span to come in its largest unit and the next smaller one, rounded to the nearest of the latter:
 * `1h59m`, `2h`. Rounded down, a deadline of two hours would read `1h` a second later.
 */
const remainingText = (ms: number): string => {
  const place = units.findIndex(([, unitMs], at) => ms >= unitMs - (units[at + 1]?.[1] ?? 0) / 2)
  const [unit, unitMs] = units[place] ?? ["s", 1000]
  const [part, partMs] = units[place + 1] ?? [unit, unitMs]
  const parts = Math.round(ms / partMs)
  const whole = Math.floor((parts * partMs) / unitMs)
  const rest = parts - (whole * unitMs) / partMs
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${part}`
}

/**
 * How far a moment is from now, for people: `5s ago`, `in 3d`, `in 1h59m`, `now`.
 *
 * @param at ISO 8601; `null` = `none`. What is no moment is shown as it is.
 */
export const ageText = (at: string | null, nowMs: number, none: string): string => {
  if (at === null) return none
  const agoMs = nowMs - Date.parse(at)
  if (Number.isNaN(agoMs)) return at
  if (Math.abs(agoMs) < 1000) return "now"
  return agoMs > 0 ? `${elapsedText(agoMs)} ago` : `in ${remainingText(-agoMs)}`
}

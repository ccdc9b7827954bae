interface Range {
  readonly min: number
  readonly max: number
}

interface Steps extends Range {
  readonly step: number
}

/** Whole steps between the bounds of a quantised field. */
export const stepsIn = (spec: Steps): number => Math.round((spec.max - spec.min) / spec.step)

/**
 * The value of the `place`-th step. Multiplying before dividing keeps decimal steps exact (3 tenths
 * are 0.3), and every IEEE 754 machine gets the same bits.
 */
export const stepValue = (range: Range & { readonly steps: number }, place: number): number =>
  place === range.steps
    ? range.max + 0
    : range.min + (place * (range.max - range.min)) / range.steps

/** The finest unit in which bounds of ranges are compared. */
const FinestUnit = 2 ** -20
/** A bound and steps in that unit add up without rounding to here. */
const UnitsMax = 2 ** 32

/**
 * Tells whether every value of a range is one of another range, to the bit. In doubles -5 + 5.3 is not
 * -10 + 10.3: ranges whose steps are no fractions of powers of two must begin at the same value. It says
 * no where only a look at each step could tell.
 */
export const stepsFit = (was: Steps, is: Steps): boolean => {
  const [count, counted] = [stepsIn(was), stepsIn(is)]
  if (was.min === is.min && was.max === is.max && count === counted) return true
  if (was.min < is.min || was.max > is.max) return false
  let unit = 1
  const bounds = [was.min, was.max, is.min, is.max]
  const whole = (): boolean => bounds.every((bound) => Number.isSafeInteger(bound / unit))
  while (unit > FinestUnit && !whole()) unit /= 2
  const [span, wide] = [(was.max - was.min) / unit, (is.max - is.min) / unit]
  const offset = (was.min - is.min) / unit
  // Products of spans and counts are exact then: a value is rounded by its division, and not before.
  if (!whole() || !Number.isSafeInteger(wide * counted)) return false
  // An old step is so many new ones, and the first old value is a new one.
  if ((span * counted) % (count * wide) !== 0 || (offset * counted) % wide !== 0) return false
  if (offset === 0) return true
  return (
    wide % (counted * FinestUnit) === 0 &&
    bounds.every((bound) => Math.abs(bound) <= UnitsMax * unit)
  )
}

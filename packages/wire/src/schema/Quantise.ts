interface Range {
  readonly min: number
  readonly max: number
}

/** Whole steps between the bounds of a quantised field. */
export const stepsIn = (spec: Range & { readonly step: number }): number =>
  Math.round((spec.max - spec.min) / spec.step)

/**
 * The value of the `place`-th step. Multiplying before dividing keeps decimal steps exact (3 tenths
 * are 0.3), and every IEEE 754 machine gets the same bits.
 */
export const stepValue = (range: Range & { readonly steps: number }, place: number): number =>
  place === range.steps
    ? range.max + 0
    : range.min + (place * (range.max - range.min)) / range.steps

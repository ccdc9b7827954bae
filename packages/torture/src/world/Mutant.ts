import type { Parts } from "./Parts.ts"

/** Parts that are wrong on purpose: a simulation that does not find them finds nothing. */
export interface Mutant {
  readonly says: string
  /** The checker that is to find it. */
  readonly rule: string
  readonly parts: Partial<Parts>
  /** Seeds of worlds that found it before, when few do. */
  readonly near?: ReadonlyArray<number>
  /** Steps of its worlds, when the usual ones are too few. */
  readonly steps?: number
}

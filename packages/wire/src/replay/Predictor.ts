/**
 * How a value is foretold: not at all, by the value before it in the same field of the same entity, or by going on as
 * the two values before it did.
 */
export const Orders = [0, 1, 2] as const
export type Order = (typeof Orders)[number]

interface Known {
  /** How many values have been seen: 0 to 2. */
  count: number
  last: number
  before: number
}

/** The differences of the values of one field from what was foretold, as unsigned numbers of so many bytes. */
export class Predictor {
  readonly #order: Order
  readonly #shift: number
  readonly #known = new Map<number, Known>()

  /** @param width bytes of a value: 1, 2 or 4 */
  constructor(width: number, order: Order) {
    this.#order = order
    this.#shift = 32 - 8 * width
  }

  /** The difference of a value. Small ones of either sign are small numbers. */
  difference(row: number, value: number): number {
    if (this.#order === 0) return value
    const known = this.#knownOf(row)
    const difference = this.#signed(value - this.#foretold(known))
    note(known, value)
    return this.#unsigned((difference << 1) ^ (difference >> 31))
  }

  /** The value that a difference stands for. */
  value(row: number, difference: number): number {
    if (this.#order === 0) return difference
    const known = this.#knownOf(row)
    const signed = (difference >>> 1) ^ -(difference & 1)
    const value = this.#unsigned(this.#foretold(known) + signed)
    note(known, value)
    return value
  }

  #knownOf(row: number): Known {
    const known = this.#known.get(row)
    if (known !== undefined) return known
    const unknown = { count: 0, last: 0, before: 0 }
    this.#known.set(row, unknown)
    return unknown
  }

  #foretold({ count, last, before }: Known): number {
    return this.#order === 2 && count === 2 ? 2 * last - before : last
  }

  #signed(value: number): number {
    return (value << this.#shift) >> this.#shift
  }

  #unsigned(value: number): number {
    return (value << this.#shift) >>> this.#shift
  }
}

const note = (known: Known, value: number): void => {
  if (known.count < 2) known.count++
  known.before = known.last
  known.last = value
}

/**
 * The seeded generator of tests and attacks: everything of one case comes from its seed, its part and its
 * number. Rooms have a generator of their own, `room.random`, whose state a snapshot keeps.
 */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** The chance of one case, whatever ran before it. */
  static of(seed: number, part: string, index: number): Chance {
    let state = seed | 0
    for (const char of part) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193)
    const chance = new Chance(state ^ Math.imul(index + 1, 0x9e3779b1))
    chance.below(2)
    return chance
  }

  /** A number from 0 up to and without 1. Mulberry32. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number from 0 up to and without `n`. */
  below(n: number): number {
    return Math.floor(this.share() * n)
  }

  /** True in one of `n` cases. */
  one(n: number): boolean {
    return this.below(n) === 0
  }

  pick<T>(from: readonly [T, ...T[]] | ReadonlyArray<T>): T {
    const picked = from[this.below(from.length)]
    if (picked === undefined) throw new Error("there is nothing to pick from")
    return picked
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let at = 0; at < length; at++) bytes[at] = this.below(256)
    return bytes
  }

  /** A length: most are short, few are long. */
  length(max: number): number {
    return this.below(1 + Math.floor(max / (1 << this.below(12))))
  }
}

/**
 * A stream of random numbers: sfc32, seeded by a text. Streams of different names do not disturb each
 * other, so that a plan with a ceiling meets the very players of the plan without it.
 */
export class Chance {
  #a: number
  #b: number
  #c: number
  #counter = 1
  #spare: number | null = null

  constructor(seed: string) {
    this.#a = hashed(seed, 0x9e3779b9)
    this.#b = hashed(seed, 0x243f6a88)
    this.#c = hashed(seed, 0xb7e15162)
    // The first values of sfc32 still show the seed.
    for (let round = 0; round < 15; round++) this.share()
  }

  /** From 0 up to, not including, 1. */
  share(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(this.share() * count)
  }

  /** Exponential, mean 1. */
  gap(): number {
    return -Math.log(1 - this.share())
  }

  /** Normal, mean 0, deviation 1: two at a time, by Marsaglia's polar method. */
  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare
      this.#spare = null
      return spare
    }
    for (;;) {
      const [x, y] = [this.share() * 2 - 1, this.share() * 2 - 1]
      const square = x * x + y * y
      if (square > 0 && square < 1) {
        const factor = Math.sqrt((-2 * Math.log(square)) / square)
        this.#spare = y * factor
        return x * factor
      }
    }
  }
}

const hashed = (text: string, start: number): number => {
  let hash = start
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x85ebca6b)
    hash ^= hash >>> 13
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

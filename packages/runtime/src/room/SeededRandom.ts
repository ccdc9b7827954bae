import type { RoomRandom } from "./Room.ts"

/** Four 32-bit words: the whole state of a generator. */
export type RandomState = readonly [number, number, number, number]

/** The generator behind `room.random`: sfc32, seeded by a text. */
export interface SeededRandom {
  readonly random: RoomRandom
  state(): RandomState
}

/** Makes a generator that goes on from `from`. */
export const makeRandom = (from: RandomState): SeededRandom => {
  let [a, b, c, counter] = from
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  const int = (n: number): number => {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new RangeError(`random.int: ${String(n)} is not a whole number from 1 to 2^32`)
    }
    // Values past the last whole multiple of n are thrown away: else small results came more often.
    const fair = 2 ** 32 - (2 ** 32 % n)
    let value = next()
    while (value >= fair) value = next()
    return value % n
  }
  return {
    random: Object.assign(() => next() / 2 ** 32, { int }),
    state: () => [a >>> 0, b >>> 0, c >>> 0, counter >>> 0]
  }
}

/** The first state of a generator with this seed. */
export const seedState = (seed: string): RandomState => {
  const words = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef].map((start) => {
    let hash = start
    for (let at = 0; at < seed.length; at++) {
      hash = Math.imul(hash ^ seed.charCodeAt(at), 0x85ebca6b)
      hash ^= hash >>> 13
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  })
  const generator = makeRandom([words[0] ?? 0, words[1] ?? 0, words[2] ?? 0, 1])
  // The first values of sfc32 still show the seed.
  for (let round = 0; round < 15; round++) generator.random()
  return generator.state()
}

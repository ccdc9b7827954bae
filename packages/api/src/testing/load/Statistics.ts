/** The middle value, the mean of both middle ones of an even count; `NaN` of none. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const above = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const below = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (below + above) / 2
}

/** The smallest value that a share of all values does not exceed (nearest rank); `NaN` of none. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

const bucketsPerMs = 100
const bucketsMax = 10_000 * bucketsPerMs

/** Latencies of a round, counted in steps of 10 µs up to 10 s: a million of them cost no memory. */
export class Latencies {
  readonly #counts = new Uint32Array(bucketsMax)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(ms: number): void {
    const bucket = Math.min(bucketsMax - 1, Math.max(0, Math.floor(ms * bucketsPerMs)))
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count++
  }

  /** As {@link percentile}, in ms, to the middle of the step that the value fell into. */
  at(share: number): number {
    const rank = Math.max(1, Math.ceil(this.#count * share))
    let seen = 0
    for (let bucket = 0; bucket < bucketsMax; bucket++) {
      seen += this.#counts[bucket] ?? 0
      if (seen >= rank) return (bucket + 0.5) / bucketsPerMs
    }
    return Number.NaN
  }
}

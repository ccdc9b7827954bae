import type { Metric } from "effect"

/** Counts values by upper bounds, as a plain object: recording one costs a few comparisons. */
export class Histogram {
  readonly #bounds: ReadonlyArray<number>
  readonly #counts: Array<number>
  #count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(bounds: ReadonlyArray<number>) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  record(value: number): void {
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count++
    this.#sum += value
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
  }

  /** The buckets' counts are cumulative. */
  get state(): Metric.HistogramState {
    let atMost = 0
    const buckets = this.#bounds.map((bound, index) => {
      atMost += this.#counts[index] ?? 0
      return [bound, atMost] satisfies [number, number]
    })
    return {
      buckets,
      count: this.#count,
      sum: this.#sum,
      min: this.#count === 0 ? 0 : this.#min,
      max: this.#count === 0 ? 0 : this.#max
    }
  }
}

const leastMs = 0.01
/** Each step is one percent wider than the one before it. */
const growth = Math.log(1.01)
const stepsMax = 2_000

/** Spans of time, counted in steps of one percent from 10 µs to an hour: a million of them cost no memory. */
export class Durations {
  readonly #counts = new Uint32Array(stepsMax)
  #count = 0
  #sum = 0
  #min = Infinity
  #max = 0

  get count(): number {
    return this.#count
  }

  add(ms: number): void {
    const step = ms <= leastMs ? 0 : Math.ceil(Math.log(ms / leastMs) / growth)
    const at = Math.min(stepsMax - 1, step)
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#count += 1
    this.#sum += ms
    this.#min = Math.min(this.#min, ms)
    this.#max = Math.max(this.#max, ms)
  }

  /** The figures of all spans; `null` = there is none. */
  summary(): DurationSummary | null {
    if (this.#count === 0) return null
    return {
      count: this.#count,
      avg: this.#sum / this.#count,
      min: this.#min,
      med: this.at(50),
      p90: this.at(90),
      p95: this.at(95),
      p99: this.at(99),
      max: this.#max
    }
  }

  get avg(): number {
    return this.#count === 0 ? Number.NaN : this.#sum / this.#count
  }

  get min(): number {
    return this.#count === 0 ? Number.NaN : this.#min
  }

  get max(): number {
    return this.#count === 0 ? Number.NaN : this.#max
  }

  /** The span that so many percent of all spans do not exceed, to one percent of it; `NaN` of none. */
  at(percent: number): number {
    const rank = Math.max(1, Math.ceil((this.#count * percent) / 100))
    let seen = 0
    for (let step = 0; step < stepsMax; step += 1) {
      seen += this.#counts[step] ?? 0
      if (seen >= rank) {
        return Math.min(this.#max, Math.max(this.#min, leastMs * Math.exp(growth * step)))
      }
    }
    return Number.NaN
  }
}

/** Milliseconds. */
export interface DurationSummary {
  readonly count: number
  readonly avg: number
  readonly min: number
  readonly med: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

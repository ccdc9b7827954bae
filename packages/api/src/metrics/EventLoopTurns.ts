import { monitorEventLoopDelay } from "node:perf_hooks"

import { Effect, type Metric } from "effect"

/** What Node has counted since its last reset; lengths in nanoseconds. */
export interface TurnSamples {
  readonly count: number
  readonly mean: number
  readonly min: number
  readonly max: number
  percentile(percentile: number): number
  reset(): void
}

/** Upper bounds of the buckets. */
const boundsMs = [
  1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000
] as const

const nsPerMs = 1e6
const nsPerSecond = 1e9

/** Counts how long turns of the event loop take, in seconds. */
export class TurnHistogram {
  readonly #samples: TurnSamples
  readonly #atMost: Array<number> = boundsMs.map(() => 0)
  #count = 0
  #sumNs = 0
  #minNs = 0
  #maxNs = 0

  constructor(samples: TurnSamples) {
    this.#samples = samples
  }

  /** Adds the samples since the last call to the counts. */
  read(): Metric.HistogramState {
    this.#take()
    return {
      buckets: boundsMs.map((ms, index) => [ms / 1000, this.#atMost[index] ?? 0]),
      count: this.#count,
      sum: this.#sumNs / nsPerSecond,
      min: this.#minNs / nsPerSecond,
      max: this.#maxNs / nsPerSecond
    }
  }

  #take(): void {
    const samples = this.#samples
    const { count } = samples
    if (count === 0) return
    let known = 0
    for (const [index, ms] of boundsMs.entries()) {
      known = countAtMost(samples, ms * nsPerMs, known)
      this.#atMost[index] = (this.#atMost[index] ?? 0) + known
    }
    this.#minNs = this.#count === 0 ? samples.min : Math.min(this.#minNs, samples.min)
    this.#maxNs = Math.max(this.#maxNs, samples.max)
    this.#count += count
    this.#sumNs += samples.mean * count
    samples.reset()
  }
}

/** @param known samples that are surely not longer: those of the bound below */
const countAtMost = (samples: TurnSamples, ns: number, known: number): number => {
  const { count } = samples
  if (samples.max <= ns) return count
  let low = known
  let high = count - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (samples.percentile((100 * middle) / count) <= ns) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * How long the turns of this process's event loop took since its start. Node takes a sample at each
 * turn, without a timer: a service at rest is not woken for it. Source: C-265.
 */
export const eventLoopTurns = Effect.acquireRelease(
  Effect.sync(() => {
    const monitor = monitorEventLoopDelay({ samplePerIteration: true })
    monitor.enable()
    // The first sample counts the wait before the first turn as well.
    setImmediate(() => setImmediate(() => monitor.reset()))
    return monitor
  }),
  (monitor) => Effect.sync(() => monitor.disable())
).pipe(Effect.map((monitor) => new TurnHistogram(monitor)))

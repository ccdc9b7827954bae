import { monitorEventLoopDelay } from "node:perf_hooks"

import { Context, Effect, Layer } from "effect"

/** What Node has counted since its last reset; lengths in nanoseconds. */
export interface TurnSamples {
  readonly count: number
  readonly mean: number
  readonly max: number
  percentile(percentile: number): number
  reset(): void
}

const name = "atrium_event_loop_turn_seconds"

/** Upper bounds of the buckets. */
const boundsMs = [
  1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000
] as const

const nsPerMs = 1e6
const nsPerSecond = 1e9

/** Counts how long turns of the event loop take, as a histogram in Prometheus' text format. */
export class TurnHistogram {
  readonly #samples: TurnSamples
  readonly #atMost: Array<number> = boundsMs.map(() => 0)
  #count = 0
  #sumNs = 0

  constructor(samples: TurnSamples) {
    this.#samples = samples
  }

  /** Adds the samples since the last call to the counts, and writes all counts. */
  format(): string {
    this.#take()
    const bucket = (bound: string, count: number) => `${name}_bucket{le="${bound}"} ${count}`
    return [
      `# HELP ${name} Turns of the service's event loop, without the wait for events`,
      `# TYPE ${name} histogram`,
      ...boundsMs.map((ms, index) => bucket(String(ms / 1000), this.#atMost[index] ?? 0)),
      bucket("+Inf", this.#count),
      `${name}_sum ${this.#sumNs / nsPerSecond}`,
      `${name}_count ${this.#count}`,
      ""
    ].join("\n")
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
export class EventLoopTurns extends Context.Service<
  EventLoopTurns,
  { readonly format: Effect.Effect<string> }
>()("@atrium/api/metrics/EventLoopTurns") {
  static readonly layer = Layer.effect(
    EventLoopTurns,
    Effect.gen(function* () {
      const samples = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const monitor = monitorEventLoopDelay({ samplePerIteration: true })
          monitor.enable()
          // The first sample counts the wait before the first turn as well.
          setImmediate(() => setImmediate(() => monitor.reset()))
          return monitor
        }),
        (monitor) => Effect.sync(() => monitor.disable())
      )
      const histogram = new TurnHistogram(samples)
      return { format: Effect.sync(() => histogram.format()) }
    })
  )
}

import { performance } from "node:perf_hooks"

/** What this process took in one second of a run, or thereabouts. */
export interface GeneratorLook {
  readonly cores: number
  /** Part of the time in which its event loop had work. */
  readonly busy: number
}

/** What this process took for a whole run. */
export interface GeneratorFigures {
  readonly cpuSeconds: number
  readonly cores: number
  /** Of the busiest look. */
  readonly busiest: number
  readonly looks: number
  /** Looks at which it had no time left: what it measured then is its own slowness. */
  readonly overloaded: number
}

const overloadedFrom = 0.85
/** A start has a busy second: so many of all looks are said to be too many. */
const overloadedShare = 0.05

/** Whether the run says more of this process than of the service. */
export const isBottleneck = ({ looks, overloaded }: GeneratorFigures): boolean =>
  looks > 0 && overloaded / looks > overloadedShare

/** Watches the process that makes the load. */
export class Generator {
  #cpu = process.cpuUsage()
  #loop = performance.eventLoopUtilization()
  #atMs = performance.now()
  readonly #cpuAtStart = this.#cpu
  readonly #startedAtMs = this.#atMs
  #looks = 0
  #overloaded = 0
  #busiest = 0

  /** Since the last call. */
  look(): GeneratorLook {
    const [cpu, loop, nowMs] = [
      process.cpuUsage(),
      performance.eventLoopUtilization(),
      performance.now()
    ]
    const busy = performance.eventLoopUtilization(loop, this.#loop).utilization
    const cores = secondsOf(this.#cpu, cpu) / Math.max(1e-3, (nowMs - this.#atMs) / 1000)
    this.#cpu = cpu
    this.#loop = loop
    this.#atMs = nowMs
    this.#looks += 1
    this.#busiest = Math.max(this.#busiest, busy)
    if (busy >= overloadedFrom) this.#overloaded += 1
    return { cores, busy }
  }

  get figures(): GeneratorFigures {
    const cpuSeconds = secondsOf(this.#cpuAtStart, process.cpuUsage())
    const seconds = Math.max(1e-3, (performance.now() - this.#startedAtMs) / 1000)
    return {
      cpuSeconds,
      cores: cpuSeconds / seconds,
      busiest: this.#busiest,
      looks: this.#looks,
      overloaded: this.#overloaded
    }
  }
}

const secondsOf = (before: NodeJS.CpuUsage, after: NodeJS.CpuUsage): number =>
  (after.user - before.user + after.system - before.system) / 1e6

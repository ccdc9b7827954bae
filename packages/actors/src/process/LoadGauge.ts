import { performance } from "node:perf_hooks"

/** The sources that a gauge reads. */
export interface LoadPort {
  nowMs(): number
  /** Share of the event loop that was at work since the last call, 0 to 1. */
  utilization(): number
}

/** The service counts as loaded from this share on, and below the other no more: waiting saves work. */
const LoadedAt = 0.3
const FreeBelow = 0.12
const LookEveryMs = 100

/** Whether the service has more to do than time, as of the last tenth of a second. */
export class LoadGauge {
  readonly #port: LoadPort
  #lookedAtMs: number
  #loaded = false

  constructor(port: LoadPort) {
    this.#port = port
    this.#lookedAtMs = port.nowMs()
  }

  get loaded(): boolean {
    const nowMs = this.#port.nowMs()
    if (nowMs - this.#lookedAtMs >= LookEveryMs) {
      this.#lookedAtMs = nowMs
      this.#loaded = this.#port.utilization() >= (this.#loaded ? FreeBelow : LoadedAt)
    }
    return this.#loaded
  }
}

/** @param sendWindows `false` = nothing waits under load: the service never counts as loaded */
export const makeLoadGauge = (sendWindows: boolean, port: LoadPort = eventLoop()): LoadGauge =>
  new LoadGauge(sendWindows ? port : neverLoaded)

const neverLoaded: LoadPort = { nowMs: () => 0, utilization: () => 0 }

const eventLoop = (): LoadPort => {
  let last = performance.eventLoopUtilization()
  return {
    nowMs: () => performance.now(),
    utilization: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    }
  }
}

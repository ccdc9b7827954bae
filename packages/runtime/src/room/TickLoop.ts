import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import type { RuntimePort } from "../host/RuntimePort.ts"

/** What fits into a frame. */
const OverrunsMax = 0xffff_ffff

/**
 * Calls `run` at a fixed rate. Ticks lie on a grid, so a late one does not move the next; after a
 * stall at most `RuntimeLimits.roomTicksAtOnce` run at once and the rest never do, so lateness cannot grow.
 */
export class TickLoop {
  readonly #port: RuntimePort
  readonly #periodMs: number
  readonly #run: (ticks: number) => void
  #nextAtMs = 0
  #overruns = 0
  #cancel: (() => void) | null = null

  constructor(port: RuntimePort, hz: number, run: (ticks: number) => void) {
    this.#port = port
    this.#periodMs = 1000 / hz
    this.#run = run
  }

  /** Ticks since the start that began a whole period late or later, or that never ran. */
  get overruns(): number {
    return this.#overruns
  }

  start(): void {
    this.#nextAtMs = this.#port.nowMs() + this.#periodMs
    this.#schedule()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #schedule(): void {
    const delayMs = Math.max(0, this.#nextAtMs - this.#port.nowMs())
    this.#cancel = this.#port.setTimer(delayMs, () => this.#fire())
  }

  #fire(): void {
    // A whole period late is two ticks due. A timer of whole milliseconds may also be a bit early.
    const lateMs = this.#port.nowMs() - this.#nextAtMs
    const due = Math.max(1, Math.floor(lateMs / this.#periodMs) + 1)
    this.#nextAtMs += due * this.#periodMs
    this.#overruns = Math.min(this.#overruns + due - 1, OverrunsMax)
    this.#schedule()
    this.#run(Math.min(due, RuntimeLimits.roomTicksAtOnce.max))
  }
}

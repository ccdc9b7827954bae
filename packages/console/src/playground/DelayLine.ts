/** The clock and timers of a line; tests have their own. */
export interface LineClock {
  readonly nowMs: () => number
  readonly after: (ms: number, run: () => void) => void
}

/** Hands things on in their order, later than they came, or not at all for a while. */
export class DelayLine<Thing> {
  readonly #deliver: (thing: Thing) => void
  readonly #clock: LineClock
  #waiting: Array<{ readonly thing: Thing; readonly dueMs: number }> = []
  #latencyMs = 0
  #stalled = false
  #closed = false

  constructor(deliver: (thing: Thing) => void, clock: LineClock) {
    this.#deliver = deliver
    this.#clock = clock
  }

  /** Holds for what comes from now on; what came before still comes before it. */
  set latencyMs(ms: number) {
    this.#latencyMs = ms
  }

  /** While it is stalled nothing is handed on; at its end all that was held back is, in its order. */
  set stalled(stalled: boolean) {
    this.#stalled = stalled
    this.#run()
  }

  push(thing: Thing): void {
    const dueMs = Math.max(
      this.#clock.nowMs() + this.#latencyMs,
      this.#waiting.at(-1)?.dueMs ?? -Infinity
    )
    this.#waiting.push({ thing, dueMs })
    this.#run()
  }

  /** Nothing is handed on any more. */
  close(): void {
    this.#closed = true
    this.#waiting = []
  }

  #run(): void {
    while (!this.#stalled && !this.#closed) {
      const first = this.#waiting[0]
      if (first === undefined) return
      const waitMs = first.dueMs - this.#clock.nowMs()
      if (waitMs > 0) return this.#clock.after(waitMs, () => this.#run())
      this.#waiting.shift()
      this.#deliver(first.thing)
    }
  }
}

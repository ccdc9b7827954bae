/** The clock and timers of a line; tests have their own. */
export interface LineClock {
  readonly nowMs: () => number
  readonly after: (ms: number, run: () => void) => void
}

/** Delivers things in order: after a delay, and never during a stall. */
export class DelayLine<Thing> {
  readonly #deliver: (thing: Thing) => void
  readonly #clock: LineClock
  #waiting: Array<{ readonly thing: Thing; readonly dueMs: number }> = []
  #latencyMs = 0
  #stalled = false
  #closed = false
  #waits = false

  constructor(deliver: (thing: Thing) => void, clock: LineClock) {
    this.#deliver = deliver
    this.#clock = clock
  }

  /** The delay of things that are pushed from now on. Things that were pushed before still come first. */
  set latencyMs(ms: number) {
    this.#latencyMs = ms
  }

  /** A stalled line delivers nothing. At the end of the stall it delivers the things that are due, in order. */
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
      if (waitMs > 0) return this.#wait(waitMs)
      this.#waiting.shift()
      this.#deliver(first.thing)
    }
  }

  /** One timer is enough: a thing that is pushed later is never due earlier. */
  #wait(waitMs: number): void {
    if (this.#waits) return
    this.#waits = true
    this.#clock.after(waitMs, () => {
      this.#waits = false
      this.#run()
    })
  }
}

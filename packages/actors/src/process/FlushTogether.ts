/** Something that holds frames back until it is flushed. */
interface Flushable {
  flush(): void
}

/**
 * Flushes all that was added, at one moment: some milliseconds after the first, or at the end of this
 * turn of the event loop. Node's own timers, as every frame passes here: no effect and no fiber.
 */
export class FlushTogether {
  readonly #waitMs: () => number
  #waiting: Array<Flushable> = []
  readonly #flush = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one.flush()
  }

  /** @param waitMs asked when something is the first to wait; `0` = the end of the turn */
  constructor(waitMs: () => number) {
    this.#waitMs = waitMs
  }

  add(one: Flushable): void {
    this.#waiting.push(one)
    if (this.#waiting.length > 1) return
    const waitMs = this.#waitMs()
    if (waitMs === 0) setImmediate(this.#flush)
    else setTimeout(this.#flush, waitMs)
  }
}

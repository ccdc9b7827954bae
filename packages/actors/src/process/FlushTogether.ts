/** Something that holds frames back until it is flushed. */
interface Flushable {
  flush(): void
}

const endOfTurn = (run: () => void): void => void setImmediate(run)

/**
 * Flushes all that was added, at one moment: some milliseconds after the first, or at the end of this
 * turn of the event loop. Node's own timers, as every frame passes here: no effect and no fiber.
 */
export class FlushTogether {
  readonly #waitMs: () => number
  readonly #afterTurn: (run: () => void) => void
  #waiting: Array<Flushable> = []
  readonly #flush = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one.flush()
  }

  /**
   * @param waitMs asked when something is the first to wait; `0` = the end of the turn
   * @param afterTurn runs something at the end of this turn of the event loop
   */
  constructor(waitMs: () => number, afterTurn = endOfTurn) {
    this.#waitMs = waitMs
    this.#afterTurn = afterTurn
  }

  add(one: Flushable): void {
    this.#waiting.push(one)
    if (this.#waiting.length > 1) return
    const waitMs = this.#waitMs()
    if (waitMs === 0) this.#afterTurn(this.#flush)
    else setTimeout(this.#flush, waitMs)
  }
}

import { type Clock, Effect, type Fiber } from "effect"

/** A call that has not been answered. */
interface Pending {
  readonly endsAtMs: number
  readonly late: () => void
}

/**
 * Ends calls that take too long. All have the same time, so that they end in the order in which they began
 * and one fiber waits for the first of them: a call that is answered in time costs no timer.
 */
export class CallDeadlines {
  readonly #pending = new Set<Pending>()
  readonly #ms: number
  readonly #nowMs: () => number
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  #watches = false

  constructor(parts: {
    readonly ms: number
    readonly clock: Clock.Clock
    readonly run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  }) {
    this.#ms = parts.ms
    // A service's clock that is moved makes no call late.
    this.#nowMs = () => Number(parts.clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    this.#run = parts.run
  }

  /** @returns to be called when there is an answer */
  begin(late: () => void): () => void {
    const pending = { endsAtMs: this.#nowMs() + this.#ms, late }
    this.#pending.add(pending)
    if (!this.#watches) {
      this.#watches = true
      this.#run(this.#watch)
    }
    return () => void this.#pending.delete(pending)
  }

  readonly #watch: Effect.Effect<void> = Effect.suspend(() => {
    const nowMs = this.#nowMs()
    for (const pending of this.#pending) {
      const leftMs = pending.endsAtMs - nowMs
      if (leftMs > 0) return Effect.andThen(Effect.sleep(leftMs), this.#watch)
      this.#pending.delete(pending)
      pending.late()
    }
    this.#watches = false
    return Effect.void
  })
}

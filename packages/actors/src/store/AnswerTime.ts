import { Context, Effect, Latch } from "effect"

/** Time is counted in steps of this length. */
const sliceMs = 100

/**
 * The time that a request may wait for its answer. It stands still while the request waits for
 * something that has a bound of its own, such as its caller's body or its turn.
 */
export class AnswerTime {
  readonly #runs = Latch.makeUnsafe(true)
  #leftMs: number
  #pauses = 0

  constructor(ms: number) {
    this.#leftMs = ms
  }

  /** Completes when the time has run out. */
  readonly over: Effect.Effect<void> = Effect.whileLoop({
    while: () => this.#leftMs > 0,
    body: () => Effect.andThen(this.#runs.await, Effect.sleep(Math.min(sliceMs, this.#leftMs))),
    step: () => {
      if (this.#pauses === 0) this.#leftMs -= sliceMs
    }
  })

  /** Time stands still while this effect runs (`1`), or runs although it stood still (`-1`). */
  during<A, E, R>(pauses: 1 | -1, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#shift(pauses)),
      () => effect,
      () => Effect.sync(() => this.#shift(pauses === 1 ? -1 : 1))
    )
  }

  #shift(by: 1 | -1): void {
    this.#pauses += by
    if (this.#pauses === 0) this.#runs.openUnsafe()
    else this.#runs.closeUnsafe()
  }
}

/** The time of the request that is answered; `null` where nobody waits for an answer. */
export const CurrentAnswerTime = Context.Reference<AnswerTime | null>(
  "@atrium/actors/store/AnswerTime",
  { defaultValue: () => null }
)

/** Does not count what this effect takes, which has a bound of its own, as a wait for an answer. */
export const untimed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentAnswerTime, (time) => (time === null ? effect : time.during(1, effect)))

/** Counts what this effect takes, within one that is {@link untimed}. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentAnswerTime, (time) => (time === null ? effect : time.during(-1, effect)))

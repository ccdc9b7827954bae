import { Deferred, Effect, type Fiber } from "effect"

/** How a {@link LatestWrite} works. */
export interface LatestWriteOptions<Value> {
  /** Stores one value; it deals with its own failures. */
  store(value: Value): Effect.Effect<void>
  run(effect: Effect.Effect<void>): Fiber.Fiber<void>
  /** Everything that was written is stored. */
  onSettled?(): void
}

/**
 * Stores a value that is set now and then: writes happen one after another, in their order, and of
 * those that wait only the newest is made.
 */
export class LatestWrite<Value> {
  readonly #options: LatestWriteOptions<Value>
  #waiting: { readonly value: Value } | null = null
  #storing: Deferred.Deferred<void> | null = null

  constructor(options: LatestWriteOptions<Value>) {
    this.#options = options
  }

  /** Sets out to store; never waits. */
  write(value: Value): void {
    this.#waiting = { value }
    if (this.#storing !== null) return
    const done = Deferred.makeUnsafe<void>()
    this.#storing = done
    this.#options.run(this.#storeAll(done))
  }

  /** Waits until everything that was written so far is stored, or given up. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() =>
    this.#storing === null ? Effect.void : Deferred.await(this.#storing)
  )

  #storeAll(done: Deferred.Deferred<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const next = this.#waiting
      this.#waiting = null
      if (next !== null) {
        return Effect.andThen(
          this.#options.store(next.value),
          Effect.suspend(() => this.#storeAll(done))
        )
      }
      this.#storing = null
      this.#options.onSettled?.()
      return Effect.asVoid(Deferred.succeed(done, undefined))
    })
  }
}

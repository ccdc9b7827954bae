import { Deferred, Effect, type Fiber } from "effect"

/** How a {@link LatestWrite} works. */
export interface LatestWriteOptions<Value> {
  /** Stores one value; deals with its own failures, and tells whether it is stored. */
  store(value: Value): Effect.Effect<boolean>
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
  #waiting: { readonly value: Value; readonly number: number } | null = null
  #storing: Deferred.Deferred<void> | null = null
  #written = 0
  #asked: Array<{ readonly number: number; readonly stored: Deferred.Deferred<boolean> }> = []

  constructor(options: LatestWriteOptions<Value>) {
    this.#options = options
  }

  /** Sets out to store; never waits. */
  write(value: Value): void {
    this.#written++
    this.#waiting = { value, number: this.#written }
    if (this.#storing !== null) return
    const done = Deferred.makeUnsafe<void>()
    this.#storing = done
    this.#options.run(this.#storeAll(done))
  }

  /** Waits until everything that was written so far is stored, or given up. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() =>
    this.#storing === null ? Effect.void : Deferred.await(this.#storing)
  )

  /** Waits for what is written by now, or what came in its place; false = it was given up. */
  readonly stored: Effect.Effect<boolean> = Effect.suspend(() => {
    if (this.#storing === null) return Effect.succeed(true)
    const stored = Deferred.makeUnsafe<boolean>()
    this.#asked.push({ number: this.#written, stored })
    return Deferred.await(stored)
  })

  #tell(number: number, stored: boolean): void {
    const told = this.#asked.filter((asked) => asked.number <= number)
    this.#asked = this.#asked.filter((asked) => asked.number > number)
    for (const asked of told) Deferred.doneUnsafe(asked.stored, Effect.succeed(stored))
  }

  #storeAll(done: Deferred.Deferred<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const next = this.#waiting
      this.#waiting = null
      if (next !== null) {
        return Effect.andThen(
          Effect.map(this.#options.store(next.value), (stored) => this.#tell(next.number, stored)),
          Effect.suspend(() => this.#storeAll(done))
        )
      }
      this.#storing = null
      this.#options.onSettled?.()
      return Effect.asVoid(Deferred.succeed(done, undefined))
    })
  }
}

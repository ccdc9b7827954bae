import { Deferred, Effect, type Fiber } from "effect"

/** How {@link SharedReads} reads. */
export interface SharedReadsOptions<Value, Error> {
  load(key: string): Effect.Effect<Value, Error>
  run(effect: Effect.Effect<void>): Fiber.Fiber<void>
}

/**
 * Reads of the same that many ask for at once. Of each key one read is under way, and one more waits
 * for it and serves all who asked meanwhile: nobody gets what was read before the question.
 */
export class SharedReads<Value, Error = never> {
  readonly #options: SharedReadsOptions<Value, Error>
  readonly #next = new Map<string, Deferred.Deferred<Value, Error>>()
  readonly #reading = new Set<string>()

  constructor(options: SharedReadsOptions<Value, Error>) {
    this.#options = options
  }

  read(key: string): Effect.Effect<Value, Error> {
    return Effect.suspend(() => {
      const waiting = this.#next.get(key)
      if (waiting !== undefined) return Deferred.await(waiting)
      const asked = Deferred.makeUnsafe<Value, Error>()
      this.#next.set(key, asked)
      if (!this.#reading.has(key)) {
        this.#reading.add(key)
        this.#options.run(this.#readAll(key))
      }
      return Deferred.await(asked)
    })
  }

  #readAll(key: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const asked = this.#next.get(key)
      if (asked === undefined) {
        this.#reading.delete(key)
        return Effect.void
      }
      this.#next.delete(key)
      return this.#options.load(key).pipe(
        Effect.exit,
        Effect.flatMap((exit) => Deferred.done(asked, exit)),
        Effect.andThen(this.#readAll(key))
      )
    })
  }
}

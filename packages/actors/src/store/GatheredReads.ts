import { Deferred, Effect, Exit, type Fiber } from "effect"

/** How {@link GatheredReads} reads. */
export interface GatheredReadsOptions<Key, Value> {
  /** What is stored under each key; a key that is left out has the value `undefined`. */
  load(keys: ReadonlyArray<Key>): Effect.Effect<ReadonlyMap<string, Value>>
  textOf(key: Key): string
  readonly most: number
  run(effect: Effect.Effect<void>): Fiber.Fiber<void>
}

interface Asked<Key, Value> {
  readonly key: Key
  readonly answer: Deferred.Deferred<Value | undefined>
}

/**
 * Reads of many keys that many ask for at once, each key its own row: one query is under way, and the
 * next reads all keys that were asked for meanwhile. Nobody gets what was read before the question.
 */
export class GatheredReads<Key, Value> {
  readonly #options: GatheredReadsOptions<Key, Value>
  #waiting = new Map<string, Asked<Key, Value>>()
  #reading = false

  constructor(options: GatheredReadsOptions<Key, Value>) {
    this.#options = options
  }

  read(key: Key): Effect.Effect<Value | undefined> {
    return Effect.suspend(() => {
      const text = this.#options.textOf(key)
      const asked = this.#waiting.get(text) ?? { key, answer: Deferred.makeUnsafe() }
      this.#waiting.set(text, asked)
      if (!this.#reading) {
        this.#reading = true
        this.#options.run(this.#readAll())
      }
      return Deferred.await(asked.answer)
    })
  }

  #readAll(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const some = [...this.#waiting].slice(0, this.#options.most)
      if (some.length === 0) {
        this.#reading = false
        return Effect.void
      }
      for (const [text] of some) this.#waiting.delete(text)
      return this.#options.load(some.map(([, { key }]) => key)).pipe(
        Effect.exit,
        Effect.flatMap((exit) =>
          Effect.forEach(
            some,
            ([text, { answer }]) =>
              Deferred.done(
                answer,
                Exit.map(exit, (found) => found.get(text))
              ),
            { discard: true }
          )
        ),
        Effect.andThen(this.#readAll())
      )
    })
  }
}

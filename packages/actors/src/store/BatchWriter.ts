import { Effect, Latch } from "effect"

interface Batches {
  /** Stores what waits. It ends early when the store is away: the rest is stored later. */
  readonly flush: Effect.Effect<void>
  /** How much waits. */
  readonly size: () => number
  /** What comes within this time is stored together. */
  readonly togetherMs: number
  /** Time between two attempts while the store is away, and the longest last attempt. */
  readonly againMs: number
}

/**
 * Stores queued items in batches, a little later than they come, and the rest when the scope ends.
 *
 * @returns a function that a caller runs after it has queued an item
 */
export const makeBatchWriter = Effect.fnUntraced(function* ({
  flush,
  size,
  togetherMs,
  againMs
}: Batches) {
  const waiting = Latch.makeUnsafe(false)
  const writer = Effect.gen(function* () {
    yield* waiting.await
    yield* Effect.sleep(togetherMs)
    waiting.closeUnsafe()
    yield* flush
    if (size() === 0) return
    yield* Effect.sleep(againMs)
    waiting.openUnsafe()
  })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, againMs))
  yield* Effect.forkScoped(Effect.forever(writer))
  return (): void => void waiting.openUnsafe()
})

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
 * Stores what comes together and a little later, and what is left when the scope ends.
 *
 * @returns what a caller runs when something has begun to wait
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

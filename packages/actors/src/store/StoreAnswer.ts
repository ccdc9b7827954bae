import { type Cause, Effect, Exit, Fiber } from "effect"

/**
 * Waits for an answer of the store, and no longer than that. `Effect.timeout` alone would wait until
 * the query is cancelled, for which a database that stands still takes its time: what was asked is
 * left to end by itself.
 */
export const answeredWithin =
  (ms: number) =>
  <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, E | Cause.TimeoutError, R> =>
    Effect.flatMap(Effect.forkDetach(ask), (fiber) =>
      Fiber.join(fiber).pipe(
        Effect.timeout(ms),
        Effect.onExit((exit) =>
          Exit.isFailure(exit) ? Effect.forkDetach(Fiber.interrupt(fiber)) : Effect.void
        )
      )
    )

import { Console, Effect } from "effect"

/** Says on standard error what is being done when it takes longer than a second. */
export const withProgress =
  (doing: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.scoped(
      Effect.andThen(
        Effect.forkScoped(Effect.delay(Console.error(`${doing} …`), "1 second")),
        effect
      )
    )

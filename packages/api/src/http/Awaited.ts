import { Effect } from "effect"

/** An answer that is there, or that comes; the promise never rejects. */
export const awaited = <A>(answer: A | Promise<A>): Effect.Effect<A> =>
  answer instanceof Promise ? Effect.promise(() => answer) : Effect.succeed(answer)

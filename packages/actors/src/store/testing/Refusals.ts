import { Effect } from "effect"

/** The tag of the error that the effect fails with; dies when it succeeds. */
export const refusalTag = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

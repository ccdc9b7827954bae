import { Data } from "effect"

/** The room's state does not go to the version that is asked for: it starts on the version of its state. */
export class Stays extends Data.TaggedError("Stays")<{
  readonly version: number
  /** Goes on after "as", and may have a stack below it. */
  readonly why: string
}> {}

/** A version that does not hold the state, as the reason of {@link Stays}. */
export const unheld = ({ version }: { readonly version: number }, difference: string): string =>
  `version ${version} does not hold its state: ${difference}`

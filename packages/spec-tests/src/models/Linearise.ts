import { isDeepStrictEqual } from "node:util"

import { type Answer, indefinite, type Machine } from "./Machine.ts"

/** A deed with its answer; moments are of one clock, in milliseconds. */
export interface Happened<Deed> {
  readonly deed: Deed
  readonly answer: Answer
  readonly sentMs: number
  readonly answeredMs: number
}

export interface Race<Deed, View> {
  readonly happened: ReadonlyArray<Happened<Deed>>
  /** What was read when all were answered. */
  readonly view: View
  /** How long a deed may take to hold everywhere after its answer; default 0. */
  readonly holdsAfterMs?: number
}

/**
 * Whether some order, one deed after the other, explains all answers and what was read in the end.
 * A deed that was answered before another was sent comes first.
 */
export const linearises = <State, Deed, View>(
  machine: Machine<State, Deed, View>,
  from: ReadonlyArray<State>,
  { happened, view, holdsAfterMs = 0 }: Race<Deed, View>
): boolean => {
  const goesBefore = (one: Happened<Deed>, other: Happened<Deed>): boolean =>
    one.answeredMs + holdsAfterMs < other.sentMs
  const explains = (state: State, rest: ReadonlyArray<Happened<Deed>>): boolean => {
    if (rest.length === 0) return isDeepStrictEqual(machine.view(state), view)
    return rest.some((next) => {
      if (rest.some((other) => other !== next && goesBefore(other, next))) return false
      const others = rest.filter((other) => other !== next)
      const fits = machine
        .step(state, next.deed)
        .filter(({ answer }) => next.answer === indefinite || answer === next.answer)
      if (fits.some((outcome) => explains(outcome.state, others))) return true
      return next.answer === indefinite && explains(state, others)
    })
  }
  return from.some((state) => explains(state, happened))
}

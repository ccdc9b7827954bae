import fc from "fast-check"

import type { Trial } from "../trial/Trial.ts"

export interface Law<Value> {
  readonly of: fc.Arbitrary<Value>
  /** Default 30. */
  readonly runs?: number
  /** Tried before all others. */
  readonly examples?: ReadonlyArray<Value>
}

/**
 * Holds for values that the check's chance picks, and for the smallest that it does not hold for
 * fails as that one did. Chance is the check's own: the same seed tries the same.
 */
export const forAll = async <Value>(
  trial: Pick<Trial, "seed" | "signal" | "note">,
  { of, runs = 30, examples = [] }: Law<Value>,
  look: (value: Value) => Promise<void>
): Promise<void> => {
  const property = fc.asyncProperty(of, async (value) => {
    trial.signal.throwIfAborted()
    await look(value)
  })
  const found = await fc.check(property, {
    ...{ seed: trial.seed, numRuns: runs + examples.length },
    examples: examples.map((value) => [value]),
    endOnFailure: trial.signal.aborted
  })
  if (!found.failed) return
  trial.note(`smallest of ${found.numShrinks + 1}: ${fc.stringify(found.counterexample)}`)
  throw found.errorInstance
}

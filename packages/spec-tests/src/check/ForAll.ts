import fc from "fast-check"

import type { Trial } from "../trial/Trial.ts"

export interface Law<Value> {
  readonly of: fc.Arbitrary<Value>
  /** Default 30. */
  readonly runs?: number
  /** Tried before all others. */
  readonly examples?: ReadonlyArray<Value>
  /** Values that are tried at once, where one try does not touch another. Default 1. */
  readonly atOnce?: number
}

/**
 * Holds for values that the check's chance picks, and for the smallest that it does not hold for
 * fails as that one did. Chance is the check's own: the same seed tries the same.
 */
export const forAll = async <Value>(
  trial: Pick<Trial, "seed" | "signal" | "note">,
  { of, runs = 30, examples = [], atOnce = 1 }: Law<Value>,
  look: (value: Value) => Promise<void>
): Promise<void> => {
  const some = fc.array(of, { minLength: 1, maxLength: atOnce, size: "max" })
  const property = fc.asyncProperty(some, async (values) => {
    trial.signal.throwIfAborted()
    await Promise.all(values.map(look))
  })
  const first = groupsOf(examples, atOnce)
  const found = await fc.check(property, {
    // An array that has at most `atOnce` elements has half as many on average.
    seed: trial.seed,
    numRuns: first.length + Math.ceil((2 * runs) / (atOnce + 1)),
    examples: first.map((values) => [values])
  })
  if (!found.failed) return
  trial.note(`smallest of ${found.numShrinks + 1}: ${fc.stringify(found.counterexample)}`)
  throw found.errorInstance
}

const groupsOf = <Value>(values: ReadonlyArray<Value>, size: number): ReadonlyArray<Array<Value>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size)
  )

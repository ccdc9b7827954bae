import { Schema } from "effect"

import { meant } from "./Selection.ts"

const Entry = Schema.Struct({
  /** An id, or a glob of ids. */
  id: Schema.String,
  reason: Schema.NonEmptyString
})

/** The requirements that are known to fail yet: a file that `--baseline` names. */
export const Baseline = Schema.Struct({
  /** They fail. One that passes is `stale`, and fails the run until it is taken from here. */
  expectedFail: Schema.optionalKey(Schema.Array(Entry)),
  /** They fail at times. */
  flaky: Schema.optionalKey(Schema.Array(Entry))
})
export type Baseline = typeof Baseline.Type

export const noBaseline: Baseline = {}

/** The entry of a baseline for a requirement. */
export const known = (
  { expectedFail = [], flaky = [] }: Baseline,
  id: string
): { readonly as: "expected-fail" | "flaky"; readonly reason: string } | null => {
  const fails = expectedFail.find((entry) => meant(entry.id, id))
  if (fails !== undefined) return { as: "expected-fail", reason: fails.reason }
  const sometimes = flaky.find((entry) => meant(entry.id, id))
  return sometimes === undefined ? null : { as: "flaky", reason: sometimes.reason }
}

/** All globs of a baseline. */
export const baselineGlobs = ({ expectedFail = [], flaky = [] }: Baseline): ReadonlyArray<string> =>
  [...expectedFail, ...flaky].map(({ id }) => id)

import { isReached, type Measured } from "./Figure.ts"

export interface Verdict {
  readonly says: string
  readonly exitCode: 0 | 1
}

/**
 * A run is good when everything ran and nothing was lost or counted wrong. A goal that is missed is
 * said; it makes the run fail only when that was asked for.
 */
export const verdictOf = (measured: ReadonlyArray<Measured>, strict: boolean): Verdict => {
  const invalid = measured.filter(({ faults }) => faults.length > 0)
  if (invalid.length > 0) {
    const names = invalid.map(({ workload }) => workload).join(", ")
    return { says: `not valid: ${names}`, exitCode: 1 }
  }
  const judged = measured
    .flatMap(({ figures }) => figures.map(isReached))
    .filter((reached) => reached !== null)
  const reached = judged.filter((each) => each).length
  const exitCode = strict && reached < judged.length ? 1 : 0
  return { says: `valid; ${reached} of ${judged.length} goals reached`, exitCode }
}

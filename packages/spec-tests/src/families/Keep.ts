import { holds } from "../check/Expect.ts"
import type { Keep } from "../sections/Row.ts"
import { dayMs } from "../sections/Units.ts"
import type { Trial } from "../trial/Trial.ts"

type KeepTrial = { readonly control: Pick<Trial["control"], "advance"> }

export interface KeepBench<Thing> {
  /** Something that is kept from now on. */
  readonly put: () => Promise<Thing>
  readonly isKept: (thing: Thing) => Promise<boolean>
  /** The act that makes its time begin anew. */
  readonly touch?: (thing: Thing) => Promise<unknown>
  /** Later than its time (and sweep) it may go; default 0. */
  readonly lateMs?: number
}

/** As long as `forever` is tried. */
const longMs = 4000 * dayMs

/**
 * It is there a millisecond before its time and gone after it and the next sweep; who touches it
 * gives it the whole time again. The check is `alone`, as the clock is everybody's.
 */
export const keepChecks = async <Thing>(
  { control }: KeepTrial,
  row: Keep,
  { put, isKept, touch, lateMs = 0 }: KeepBench<Thing>
): Promise<void> => {
  const { ids, forMs, sweepMs = 0, datum } = row
  const kept = async (thing: Thing, when: string): Promise<void> =>
    holds(`${ids[0]}: ${datum} is kept ${when}`, await isKept(thing), "gone")
  const first = await put()
  await kept(first, "at first")
  if (forMs === "forever") {
    await control.advance(longMs)
    return kept(first, "forever")
  }
  const goesWithinMs = forMs + sweepMs + lateMs
  await control.advance(forMs - 1)
  await kept(first, "a millisecond before its time")
  await control.advance(goesWithinMs - forMs + 1)
  holds(`${ids[0]}: ${datum} is ${row.becomes} in time`, !(await isKept(first)), "kept")
  if (touch === undefined) return
  const second = await put()
  await control.advance(forMs - 1)
  await touch(second)
  await control.advance(forMs - 1)
  await kept(second, "anew after a touch")
  await control.advance(goesWithinMs - forMs + 1)
  holds(`${ids[0]}: ${datum} is ${row.becomes} after the touch`, !(await isKept(second)), "kept")
}

import { Mismatch, holds, same } from "../check/Expect.ts"
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

export interface NewestBench {
  /** Adds one more; its name. */
  readonly add: () => Promise<string>
  /** The names that are there, newest first. */
  readonly list: () => Promise<ReadonlyArray<string>>
  /** Added beyond the row's number. Default 3. */
  readonly beyond?: number
}

/** All are kept up to the number of the row, and beyond it the newest of them, in order. */
export const newestChecks = async (
  row: Keep,
  { add, list, beyond = 3 }: NewestBench
): Promise<void> => {
  const { newest } = row
  if (newest === undefined) throw new Error(`${row.ids[0]} does not say how many are kept`)
  const added: Array<string> = [...(await list())].toReversed()
  while (added.length < newest + beyond) {
    added.push(await add())
    const expected = added.slice(-newest).toReversed()
    same(`${row.ids[0]}: the newest of ${added.length}`, await list(), expected)
  }
  if (new Set(added).size !== added.length) {
    throw new Mismatch(`${row.ids[0]}: names`, { expected: "no name twice", actual: added })
  }
}

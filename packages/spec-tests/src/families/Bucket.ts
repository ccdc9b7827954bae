import { holds } from "../check/Expect.ts"
import type { Bucket } from "../sections/Row.ts"
import type { Trial } from "../trial/Trial.ts"
import { type HeldClock, onHeldClock } from "./HeldClock.ts"
import { isRefusedAs, isTaken, type Outcome } from "./Outcome.ts"

/** How an allowance is asked. `Subject` is whose it is: an address, a project, a connection. */
export interface BucketBench<Subject> {
  /** Somebody who has all of it; called again for another, whom the first must not touch. */
  readonly fresh: () => Promise<Subject>
  /** Asks once. */
  readonly ask: (subject: Subject) => Promise<Outcome>
  /** Asks something of another row, which draws on another allowance of the same subject. */
  readonly elsewhere?: (subject: Subject) => Promise<Outcome>
  /** There is but one subject: time gives it its allowance back, and nobody else can ask. */
  readonly single?: true
  /** Units that one request spends, where the row counts smaller units (bytes). Default 1. */
  readonly cost?: number
  /** Requests in flight at once, for rows of many requests; their order then proves nothing. Default 1. */
  readonly atOnce?: number
  /** The decision that named status or code, where the specification did not. */
  readonly decision?: string
}

type BucketTrial = Pick<Trial, "chosen"> & HeldClock

/**
 * The whole algebra of an allowance on a clock that stands: exactly `burst` at once, each back after
 * its time and not a millisecond before, never more than `burst`, and nobody else's touched. The
 * check is `alone`, as the clock is everybody's; it runs on afterwards.
 */
export const bucketChecks = async <Subject>(
  trial: BucketTrial,
  row: Bucket,
  bench: BucketBench<Subject>
): Promise<void> => {
  const { control } = trial
  const { burst, backMs } = paceOf(row, bench)
  if (backMs(1) < 2) throw new Error(`${row.ids[0]}: an asking must cost more than 1 ms brings`)
  await onHeldClock(trial, backMs(burst), async () => {
    if (bench.single === true) await control.advance(backMs(burst))
    const asked = { trial, row, bench, subject: await bench.fresh() }
    await takes(asked, { count: burst, when: "at once" })
    await othersAreUntouched(asked)
    await isToldTheTruth(asked, await comesBackInTime(asked))
    await neverMoreThanBurst(asked)
  })
}

/** Without a clock: at once comes the burst, and at most what came back meanwhile. */
export const burstCheck = async <Subject>(
  trial: Pick<Trial, "chosen">,
  row: Bucket,
  bench: BucketBench<Subject>
): Promise<void> => {
  const { burst } = paceOf(row, bench)
  const subject = await bench.fresh()
  const beganMs = performance.now()
  for (let count = 0; ; count++) {
    const got = await bench.ask(subject)
    if (!got.taken) {
      holds(`${row.ids[0]}: ${burst} are taken at once`, count >= burst, count)
      return isRefusedAs(trial, `${row.ids[0]}: the next`, { got, ...refusalOf(row, bench) })
    }
    const elapsedMs = performance.now() - beganMs
    const most = burst + (row.rate * elapsedMs) / row.perMs / (bench.cost ?? 1) + 1
    holds(`${row.ids[0]}: at most ${Math.ceil(most)} are taken`, count < most, count + 1)
  }
}

/** The pace of a row, in askings. */
const paceOf = ({ rate, perMs, burst }: Bucket, { cost = 1 }: { readonly cost?: number }) => ({
  burst: Math.floor(burst / cost),
  /** When the nth comes back after all are spent. */
  backMs: (n: number): number => Math.ceil((n * cost * perMs) / rate)
})

interface Asked<Subject> {
  readonly trial: BucketTrial
  readonly row: Bucket
  readonly bench: BucketBench<Subject>
  readonly subject: Subject
}

const refusalOf = ({ outcome }: Bucket, { decision }: { readonly decision?: string }) => ({
  outcome,
  ...(decision === undefined ? {} : { decision })
})

/** Exactly that many are taken; answers the refusal of the next. */
const takes = async <Subject>(
  { trial, row, bench, subject }: Asked<Subject>,
  { count, when }: { readonly count: number; readonly when: string }
): Promise<Outcome> => {
  const name = row.ids[0]
  let asked = 0
  const asker = async (): Promise<void> => {
    while (asked < count) {
      const n = ++asked
      isTaken(`${name}: ${n} of ${count} ${when}`, await bench.ask(subject))
    }
  }
  await Promise.all(Array.from({ length: bench.atOnce ?? 1 }, asker))
  const got = await bench.ask(subject)
  isRefusedAs(trial, `${name}: one after ${count} ${when}`, { got, ...refusalOf(row, bench) })
  return got
}

const othersAreUntouched = async <Subject>({ row, bench, subject }: Asked<Subject>) => {
  if (bench.elsewhere !== undefined) {
    isTaken(`${row.ids[0]}: what another row allows`, await bench.elsewhere(subject))
  }
  if (bench.single !== true) {
    isTaken(`${row.ids[0]}: another's first`, await bench.ask(await bench.fresh()))
  }
}

/**
 * From empty: none a millisecond early, one in time, half of all after half of the time. Answers the
 * last refusal: then it is empty again.
 */
const comesBackInTime = async <Subject>(asked: Asked<Subject>): Promise<Outcome> => {
  const { control } = asked.trial
  const { burst, backMs } = paceOf(asked.row, asked.bench)
  await control.advance(backMs(1) - 1)
  await takes(asked, { count: 0, when: "a millisecond too early" })
  await control.advance(1)
  await takes(asked, { count: 1, when: "in time" })
  const half = Math.ceil(burst / 2)
  await control.advance(backMs(half))
  return takes(asked, { count: half, when: "when half are back" })
}

/** A client that waits as long as the refusal says is taken, and waits at most a second too long. */
const isToldTheTruth = async <Subject>(asked: Asked<Subject>, refused: Outcome): Promise<void> => {
  const { trial, row, bench, subject } = asked
  const { backMs } = paceOf(row, bench)
  if (refused.taken || refused.retryAfterMs === undefined) return
  const { retryAfterMs } = refused
  const longestMs = Math.ceil(backMs(1) / 1000) * 1000
  trial.chosen("D-26", () => {
    const isFit = retryAfterMs !== null && retryAfterMs > 0 && retryAfterMs <= longestMs
    holds(`${row.ids[0]}: it says to wait, at most ${longestMs} ms`, isFit, retryAfterMs)
  })
  if (retryAfterMs === null) return
  await trial.control.advance(retryAfterMs)
  isTaken(`${row.ids[0]}: after the wait that was told`, await bench.ask(subject))
}

/** However long nobody asked. */
const neverMoreThanBurst = async <Subject>(asked: Asked<Subject>): Promise<void> => {
  const { burst, backMs } = paceOf(asked.row, asked.bench)
  await asked.trial.control.advance(3 * backMs(burst))
  await takes(asked, { count: burst, when: "after three times the time" })
}

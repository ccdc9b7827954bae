import { holds } from "../../check/Expect.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"

const pairs = 40

/** Less than a look into another table or a slow hash takes on the machines that this runs on. */
const apartMaxMs = 8

const medianOf = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0

type Ask = () => Promise<HttpAnswer>

/** Two answers that must not be told apart take as long as each other: asked in turns, by their medians. */
export const takeAsLong = async (
  trial: Trial,
  what: string,
  asks: readonly [Ask, Ask]
): Promise<void> => {
  const times: readonly [Array<number>, Array<number>] = [[], []]
  for (let pair = 0; pair < pairs; pair++) {
    times[0].push((await asks[0]()).tookMs)
    times[1].push((await asks[1]()).tookMs)
  }
  const [one, other] = [medianOf(times[0]), medianOf(times[1])]
  const isAlike = Math.abs(one - other) < apartMaxMs * trial.patience
  holds(`${what}: as long as each other`, isAlike, `${one.toFixed(1)} and ${other.toFixed(1)} ms`)
}

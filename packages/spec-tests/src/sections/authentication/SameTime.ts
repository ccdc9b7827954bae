import { holds } from "../../check/Expect.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"

const pairs = 40
const rounds = 3

/** Less than a look into another table or a slow hash takes on the machines that this runs on. */
const apartMaxMs = 8

const medianOf = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0

type Ask = () => Promise<HttpAnswer>

/**
 * Two answers that must not be told apart take as long as each other: asked in turns, by their medians. A
 * difference of the answers is there each time it is measured; one of the machine is not.
 */
export const takeAsLong = async (
  trial: Trial,
  what: string,
  asks: readonly [Ask, Ask]
): Promise<void> => {
  const seen: Array<string> = []
  let sign = 0
  for (let round = 0; round < rounds; round++) {
    const [one, other] = await mediansOf(asks)
    const apartMs = one - other
    if (Math.abs(apartMs) < apartMaxMs * trial.patience) return
    if (round > 0 && Math.sign(apartMs) !== sign) return
    sign = Math.sign(apartMs)
    seen.push(`${one.toFixed(1)} and ${other.toFixed(1)} ms`)
  }
  holds(`${what}: as long as each other`, false, seen.join(", then "))
}

const mediansOf = async (asks: readonly [Ask, Ask]): Promise<readonly [number, number]> => {
  const times: readonly [Array<number>, Array<number>] = [[], []]
  for (let pair = 0; pair < pairs; pair++) {
    times[0].push((await asks[0]()).tookMs)
    times[1].push((await asks[1]()).tookMs)
  }
  return [medianOf(times[0]), medianOf(times[1])]
}

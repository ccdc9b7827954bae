import { median, quantile } from "../Statistics.ts"

/** What was measured several times: the middle and the ends. */
export interface Sampled {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly count: number
}

/** Figures of the rounds, by the path that a calibration has them at, such as `cpu.wakeMs`. */
export class Samples {
  readonly #values = new Map<string, Array<number>>()

  add(path: string, value: number): void {
    if (!Number.isFinite(value)) return
    const known = this.#values.get(path) ?? []
    known.push(value)
    this.#values.set(path, known)
  }

  /** The samples of a path, in their order; a difference of two measurements may be below 0. */
  sampled(path: string): Sampled | null {
    const sorted = (this.#values.get(path) ?? []).toSorted((a, b) => a - b)
    if (sorted.length === 0) return null
    const at = (index: number): number => sorted[index] ?? Number.NaN
    return { median: median(sorted), min: at(0), max: at(sorted.length - 1), count: sorted.length }
  }

  get paths(): ReadonlyArray<string> {
    return [...this.#values.keys()]
  }
}

/** The value that a share of all values does not exceed (nearest rank); `NaN` of none. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    share
  )

/** CPU of ticks of one room at two numbers of players: what a tick and what a patch take. */
export const tickFit = (
  at: readonly [
    { readonly players: number; readonly us: number },
    { readonly players: number; readonly us: number }
  ]
): { readonly tickUs: number; readonly patchUs: number } => {
  const [less, more] = at
  const patchUs = (more.us - less.us) / (more.players - less.players)
  return { patchUs, tickUs: less.us - patchUs * less.players }
}

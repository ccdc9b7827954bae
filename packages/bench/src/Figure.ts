import { median } from "@atrium/api/testing/load/Statistics"

export const Workloads = ["W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"] as const
export type Workload = (typeof Workloads)[number]

/** What a figure has to reach: by itself, or as a multiple of the reference's. */
export interface Goal {
  readonly of: "value" | "ratio"
  readonly bound: "at least" | "at most"
  readonly limit: number
}

export const atLeast = (limit: number, of: Goal["of"]): Goal => ({ of, bound: "at least", limit })
export const atMost = (limit: number, of: Goal["of"]): Goal => ({ of, bound: "at most", limit })

/** The same work done without Atrium, in the same run. */
export interface Reference {
  readonly name: string
  /** What each round gave, in the order of the service's rounds. */
  readonly rounds: ReadonlyArray<number>
  /** Why the ratio says less than it seems to; `null` = nothing is wrong with it. */
  readonly weakness: string | null
}

/** One measured number of the service, beside that of a reference. */
export interface Figure {
  readonly name: string
  readonly unit: string
  /** What each round gave; the figure is their median. */
  readonly rounds: ReadonlyArray<number>
  /** `null` where nothing else has such a thing. */
  readonly reference: Reference | null
  readonly goal: Goal | null
}

/** The figures of a workload. */
export interface Measured {
  readonly workload: Workload
  readonly figures: ReadonlyArray<Figure>
  /** What was lost or counted wrong: with one of them the figures mean nothing. */
  readonly faults: ReadonlyArray<string>
  /** How large it was, and what else a reader has to know. */
  readonly notes: ReadonlyArray<string>
}

/** Beside plain `ws`, which has no limits, no store and no code of others. */
export const besideWs = (rounds: ReadonlyArray<number>): Reference => ({
  name: "ws",
  rounds,
  weakness: null
})

export const valueOf = ({ rounds }: Figure): number => median(rounds)

/** The reference's own number; `null` without a reference. */
export const rawOf = ({ reference }: Figure): number | null =>
  reference === null ? null : median(reference.rounds)

/** Ratios of the rounds that belong together, so that both have had the same machine. */
const ratiosOf = ({ rounds, reference }: Figure): ReadonlyArray<number> | null => {
  if (reference === null) return null
  return rounds.length === reference.rounds.length
    ? rounds.map((value, round) => value / (reference.rounds[round] ?? Number.NaN))
    : [median(rounds) / median(reference.rounds)]
}

/** How many times the reference's number it is; `null` without a reference. */
export const ratioOf = (figure: Figure): number | null => {
  const ratios = ratiosOf(figure)
  return ratios === null ? null : median(ratios)
}

/** The least and the most that a round gave, as a ratio where there is one; `null` = there was one round. */
export const rangeOf = (figure: Figure): readonly [number, number] | null => {
  const each = ratiosOf(figure) ?? figure.rounds
  return each.length > 1 ? [Math.min(...each), Math.max(...each)] : null
}

/** Whether the goal is reached; `null` without one. */
export const isReached = (figure: Figure): boolean | null => {
  const { goal } = figure
  if (goal === null) return null
  const judged = goal.of === "value" ? valueOf(figure) : (ratioOf(figure) ?? Number.NaN)
  return goal.bound === "at least" ? judged >= goal.limit : judged <= goal.limit
}

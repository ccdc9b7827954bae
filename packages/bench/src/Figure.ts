export const Workloads = ["W1", "W2", "W3", "W4", "W5", "W6"] as const
export type Workload = (typeof Workloads)[number]

/** What a figure has to reach: by itself, or as a multiple of the reference's. */
export interface Goal {
  readonly of: "value" | "ratio"
  readonly bound: "at least" | "at most"
  readonly limit: number
}

export const atLeast = (limit: number, of: Goal["of"]): Goal => ({ of, bound: "at least", limit })
export const atMost = (limit: number, of: Goal["of"]): Goal => ({ of, bound: "at most", limit })

/** One measured number of the service, beside that of the reference in the same run. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The same of the reference; `null` where it has no such thing. */
  readonly raw: number | null
  readonly goal: Goal | null
}

/** What a workload gave. */
export interface Measured {
  readonly workload: Workload
  readonly figures: ReadonlyArray<Figure>
  /** What was lost or counted wrong: with one of them the figures mean nothing. */
  readonly faults: ReadonlyArray<string>
  /** How large it was, and what else a reader has to know. */
  readonly notes: ReadonlyArray<string>
}

/** How many times the reference's number it is; `null` without a reference. */
export const ratioOf = ({ value, raw }: Figure): number | null =>
  raw === null ? null : value / raw

/** Whether the goal is reached; `null` without one. */
export const isReached = (figure: Figure): boolean | null => {
  const { goal } = figure
  if (goal === null) return null
  const judged = goal.of === "value" ? figure.value : (ratioOf(figure) ?? Number.NaN)
  return goal.bound === "at least" ? judged >= goal.limit : judged <= goal.limit
}

import {
  type Figure,
  type Goal,
  isReached,
  type Measured,
  rangeOf,
  ratioOf,
  rawOf,
  valueOf,
  type Workload
} from "./Figure.ts"

const titles: Record<Workload, string> = {
  W1: "relay fan-out",
  W2: "state sync",
  W3: "joins to the first full state",
  W4: "idle cost",
  W5: "wake and store",
  W6: "the management API",
  W7: "players' data",
  W8: "rooms that record themselves"
}

/** Three digits that say something, thousands apart. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString("en-US")
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 4)
}

const formatValue = (value: number, unit: string): string =>
  `${formatNumber(value)}${unit.startsWith("/") || unit === "" ? "" : " "}${unit}`

const formatGoal = (goal: Goal, unit: string): string => {
  const sign = goal.bound === "at least" ? "≥" : "≤"
  if (goal.of === "ratio") return `${sign} ${goal.limit} × raw`
  const limit = `${goal.limit}${unit.startsWith("/") || unit === "" ? "" : " "}${unit}`
  return `${sign} ${limit}`
}

const head = ["atrium", "raw", "ratio", "range", "goal", "reached", "raw is"] as const

const formatRange = (range: readonly [number, number] | null): string =>
  range === null || !range.every(Number.isFinite)
    ? ""
    : `${formatNumber(range[0])} to ${formatNumber(range[1])}`

const formatReference = ({ reference }: Figure): string => {
  if (reference === null) return ""
  return reference.weakness === null
    ? reference.name
    : `${reference.name} (WEAK: ${reference.weakness})`
}

const cellsOf = (figure: Figure): ReadonlyArray<string> => {
  const ratio = ratioOf(figure)
  const raw = rawOf(figure)
  const reached = isReached(figure)
  return [
    figure.name,
    formatValue(valueOf(figure), figure.unit),
    raw === null ? "" : formatValue(raw, figure.unit),
    ratio === null || !Number.isFinite(ratio) ? "" : `${formatNumber(ratio)} ×`,
    formatRange(rangeOf(figure)),
    figure.goal === null ? "" : formatGoal(figure.goal, figure.unit),
    reached === null ? "" : reached ? "yes" : "NO",
    formatReference(figure)
  ]
}

/** All figures, for a terminal. A range is that of the rounds: of their ratios where there are any. */
export const formatTable = (measured: ReadonlyArray<Measured>): string => {
  const cells = measured.flatMap(({ figures }) => figures.map(cellsOf))
  const titled = measured.map(({ workload }) => [`${workload} ${titles[workload]}`, ...head])
  const widths = ["", ...head].map((_, column) =>
    Math.max(...[...cells, ...titled].map((row) => row[column]?.length ?? 0))
  )
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        // Numbers end at the same place; names and goals start there.
        return column >= 1 && column <= 4 ? cell.padStart(width) : cell.padEnd(width)
      })
      .join("  ")
      .trimEnd()
  return measured
    .map(({ workload, figures, faults, notes }) =>
      [
        line([`${workload} ${titles[workload]}`, ...head]),
        ...figures.map((figure) => line(cellsOf(figure))),
        ...notes.map((note) => `  ${note}`),
        ...faults.map((fault) => `  NOT VALID: ${fault}`)
      ].join("\n")
    )
    .join("\n\n")
}

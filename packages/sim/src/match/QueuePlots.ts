import * as Plot from "@observablehq/plot"

import { colors, drawn, legend } from "../plan/report/Drawn.ts"

/** A player who was matched. */
interface Met {
  readonly rating: number
  readonly waitMs: number
  /** Players of the party; 1 = alone. */
  readonly party: number
  /** Rating points between the best and the worst ticket of the match. */
  readonly spread: number
}

/** Points of a rating that are shown together. */
const bucketPoints = 100

/** Fewer players of a rating than this are not shown: one of them would be a line. */
const shownLeast = 50

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? 0

/** One number of the players of each rating. */
const byRating = (
  met: ReadonlyArray<Met>,
  { line, of }: { readonly line: string; of(players: ReadonlyArray<Met>): number }
) =>
  [...Map.groupBy(met, ({ rating }) => bucketPoints * Math.round(rating / bucketPoints))]
    .filter(([, players]) => players.length >= shownLeast)
    .toSorted(([one], [other]) => one - other)
    .map(([rating, players]) => ({ rating, line, value: of(players) }))

const lines = (rows: ReturnType<typeof byRating>, yTick: (value: number) => string): string => {
  const names = [...new Set(rows.map(({ line }) => line))]
  return drawn({
    x: { label: "rating", grid: true },
    y: { label: null, grid: true, tickFormat: yTick },
    color: { domain: names, range: colors },
    marks: [
      Plot.lineY(rows, { x: "rating", y: "value", stroke: "line", strokeWidth: 1.6 }),
      Plot.ruleY([0]),
      ...legend(names)
    ]
  })
}

/** How far apart those are who meet, by rating. */
export const spreadPlot = (met: ReadonlyArray<Met>): string => {
  const at = (part: number, line: string) =>
    byRating(met, {
      line,
      of: (players) =>
        quantile(
          players.map(({ spread }) => spread),
          part
        )
    })
  return lines([...at(0.5, "half of the players"), ...at(0.95, "95 of 100 players")], String)
}

/** How long 95 of 100 players wait, by rating and by the size of the party. */
export const waitPlot = (met: ReadonlyArray<Met>): string => {
  const sizes = [...new Set(met.map(({ party }) => party))].toSorted((one, other) => one - other)
  const rows = sizes.flatMap((size) =>
    byRating(
      met.filter(({ party }) => party === size),
      {
        line: size === 1 ? "alone" : `a party of ${size}`,
        of: (players) =>
          quantile(
            players.map(({ waitMs }) => waitMs),
            0.95
          )
      }
    )
  )
  return lines(rows, (ms) => `${ms / 1000} s`)
}

import { Effect, Terminal } from "effect"

import { type Paint, paintOf } from "./Paint.ts"
import { printable } from "./Printable.ts"

/** A column of a table, and how soon it is left out when the terminal is narrow. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  /** The lowest goes first; the first column stays. */
  readonly weight: number
}

const gap = "  "

/**
 * Rows below their titles, each column as wide as it must be. Cells are never cut: columns are left
 * out instead, until the rest fits.
 *
 * @param widthMax characters of a line; 0 = as wide as it gets
 */
export const tableText = <Row>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  widthMax: number
): string => {
  const written = columns.map(({ title, cell, weight }) => {
    const cells = [title, ...rows.map((row) => printable(cell(row)))]
    return { cells, weight, width: Math.max(...cells.map(charactersOf)) }
  })
  const kept = fitting(written, widthMax)
  const line = (at: number): string =>
    kept.map(({ cells, width }) => padded(cells[at] ?? "", width)).join(gap)
  return [undefined, ...rows].map((_, at) => line(at).trimEnd()).join("\n")
}

/** The table as wide as the terminal, if there is one, with its titles painted. */
export const tableFor = Effect.fnUntraced(function* <Row>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>
) {
  const terminal = yield* Terminal.Terminal
  const text = tableText(rows, columns, yield* terminal.columns)
  const [titles = "", ...lines] = text.split("\n")
  return [(yield* paintOf("stdout")).title(titles), ...lines].join("\n")
})

/** Names and values of one thing. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** One pair a line, for standard output. */
export const pairsFor = (pairs: Pairs) =>
  Effect.map(paintOf("stdout"), (paint) => pairsText(pairs, paint))

/** One pair a line, with painted names. */
export const pairsText = (pairs: Pairs, paint: Paint): string => {
  const width = Math.max(...pairs.map(([name]) => charactersOf(name)))
  return pairs
    .map(([name, value]) => paint.aside(padded(name, width)) + gap + printable(value))
    .join("\n")
}

interface Written {
  readonly cells: ReadonlyArray<string>
  readonly weight: number
  readonly width: number
}

const fitting = (columns: ReadonlyArray<Written>, widthMax: number): ReadonlyArray<Written> => {
  const width = columns.reduce((sum, column) => sum + column.width + gap.length, -gap.length)
  const [first, ...others] = columns
  if (first === undefined || others.length === 0 || widthMax === 0 || width <= widthMax) {
    return columns
  }
  const least = Math.min(...others.map(({ weight }) => weight))
  const dropped = others.findLastIndex(({ weight }) => weight === least)
  return fitting([first, ...others.toSpliced(dropped, 1)], widthMax)
}

const charactersOf = (text: string): number => [...text].length
const padded = (text: string, width: number): string =>
  text + " ".repeat(width - charactersOf(text))

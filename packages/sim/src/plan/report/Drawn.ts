import * as Plot from "@observablehq/plot"
import { parseHTML } from "linkedom"

const size = { width: 860, height: 280, marginLeft: 64, marginRight: 24, marginTop: 52 }

/** A picture as a whole SVG file. The same options give the same bytes. */
export const drawn = (options: Plot.PlotOptions): string => {
  const { document } = parseHTML("<!doctype html><html><body></body></html>")
  const plot = Plot.plot({ ...size, ...options, document })
  // A file of its own needs the name space, and a ground that does not depend on the page.
  return plot.outerHTML.replace(
    "<svg ",
    '<svg xmlns="http://www.w3.org/2000/svg" style="background: white; color: #1f2933" '
  )
}

export const colors = ["#2563eb", "#d97706", "#059669"]

/** The names of the colours, below each other, above what is drawn. */
export const legend = (names: ReadonlyArray<string>): ReadonlyArray<Plot.Markish> =>
  names.map((name, at) =>
    Plot.text([name], {
      frameAnchor: "top-left",
      fill: colors[at] ?? "currentColor",
      fontWeight: "bold",
      dy: (at - names.length) * 14
    })
  )

/** Lines over one axis, each with its name. */
export const lineChart = (
  rows: ReadonlyArray<{ readonly x: number; readonly y: number; readonly line: string }>,
  axes: { readonly x: string; readonly y: string }
): string => {
  const names = [...new Set(rows.map(({ line }) => line))]
  return drawn({
    x: { label: axes.x, grid: true },
    y: { label: axes.y, grid: true },
    color: { domain: names, range: colors },
    marks: [
      Plot.lineY(rows, { x: "x", y: "y", stroke: "line", strokeWidth: 1.6 }),
      Plot.ruleY([0]),
      ...legend(names)
    ]
  })
}

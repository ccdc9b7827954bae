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

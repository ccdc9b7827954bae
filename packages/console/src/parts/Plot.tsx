import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"

import "uplot/dist/uPlot.min.css"

import { bytesText, countText } from "../text/Numbers.ts"
import { momentText } from "../text/Times.ts"

/** A line of a plot, and its values: `null` = nobody measured. */
export interface PlotLine {
  readonly name: string
  /** Its colour is that of its place. */
  readonly values: ReadonlyArray<number | null>
}

interface Props {
  readonly title: string
  /** The moments of the values, Unix seconds, ascending. */
  readonly atSeconds: ReadonlyArray<number>
  readonly lines: ReadonlyArray<PlotLine>
  readonly unit: Unit
}

/** How values are written, and the distances that lines of the grid may have: whole ones. */
const units = {
  count: {
    textOf: countText,
    steps: Array.from({ length: 10 }, (_, power) =>
      [1, 2, 5].map((one) => one * 10 ** power)
    ).flat()
  },
  bytes: { textOf: bytesText, steps: Array.from({ length: 45 }, (_, power) => 2 ** power) }
} as const
type Unit = keyof typeof units

const colours = ["--one", "--two", "--three"] as const
const heightPx = 104

/** A small plot over time. Its caption tells the last values, for those who cannot see it, too. */
export const Plot = ({ title, atSeconds, lines, unit }: Props) => {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const data: uPlot.AlignedData = [[...atSeconds], ...lines.map(({ values }) => [...values])]
  const latest = useRef(data)
  latest.current = data
  const names = lines.map(({ name }) => name).join()
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const draw = (): void => {
      drawn.current?.destroy()
      const width = Math.max(50, current.clientWidth)
      drawn.current = new uPlot(optionsOf(names.split(","), width, unit), latest.current, current)
    }
    draw()
    // Axes and lines are drawn in colours that follow the theme.
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", draw)
    const resized = new ResizeObserver(() =>
      drawn.current?.setSize({ width: Math.max(50, current.clientWidth), height: heightPx })
    )
    resized.observe(current)
    return () => {
      resized.disconnect()
      dark.removeEventListener("change", draw)
      drawn.current?.destroy()
      drawn.current = null
    }
  }, [names])
  useEffect(() => drawn.current?.setData(data), [atSeconds])
  return (
    <figure class="plot">
      <figcaption>
        <b>{title}</b>
        <span class="keys">
          {lines.map(({ name, values }, at) => (
            <span key={name} class={`key key-${at}`}>
              {name} {lastText(values, unit)}
            </span>
          ))}
        </span>
      </figcaption>
      <div class="drawing" ref={place} aria-hidden="true" />
    </figure>
  )
}

const lastText = (values: PlotLine["values"], unit: Unit): string => {
  const last = values.at(-1)
  return last === null || last === undefined ? "–" : units[unit].textOf(last)
}

/** A value of the style sheet, as it is in this theme. */
const styled = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The times below a plot, to the second where it is of some minutes. */
const timesOf = ({ data: [at] }: uPlot, marks: ReadonlyArray<number>): Array<string> => {
  const [first, last] = [at[0], at.at(-1)]
  // A single moment makes no line.
  if (first === undefined || last === undefined || first === last) return marks.map(() => "")
  return marks.map((mark) =>
    momentText(mark * 1000, mark * 1000).slice(0, last - first < 900 ? 8 : 5)
  )
}

const optionsOf = (names: ReadonlyArray<string>, width: number, unit: Unit): uPlot.Options => {
  const axis = { stroke: styled("--faint"), font: "11px system-ui", ticks: { show: false } }
  const grid = { stroke: styled("--line"), width: 1 }
  const stepped = unit === "count" ? uPlot.paths.stepped?.({ align: 1 }) : undefined
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    padding: [8, 28, 0, 0],
    scales: {
      x: { time: true },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] }
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        space: 70,
        values: timesOf
      },
      {
        ...axis,
        grid,
        size: 58,
        space: 26,
        incrs: [...units[unit].steps],
        values: (_plot, values) => values.map(units[unit].textOf)
      }
    ],
    series: [
      {},
      ...names.map((label, at) => ({
        label,
        stroke: styled(colours[at] ?? "--six"),
        width: 1.6,
        spanGaps: false,
        // A count stays until it changes; a single point makes no line.
        ...(stepped === undefined ? {} : { paths: stepped }),
        points: { show: ({ data: [at] }: uPlot) => at.length < 3 }
      }))
    ]
  }
}

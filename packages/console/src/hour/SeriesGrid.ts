import type { SeriesPoint } from "@atrium/domain/metrics/MetricsApi"
import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"

/** The points of a project's last hour, one for each span: `null` = nobody measured. */
export interface SeriesGrid {
  readonly atSeconds: ReadonlyArray<number>
  readonly points: ReadonlyArray<SeriesPoint | null>
}

/** Time between two points. */
export const spanMs = MetricsLimits.seriesEvery.ms
const spansMax = MetricsLimits.seriesPoints.max

/** Puts points into their spans, up to the newest one. A gap stays a gap. */
export const gridOf = (points: ReadonlyArray<SeriesPoint>): SeriesGrid => {
  const placed = new Map(points.map((point) => [Math.round(Date.parse(point.at) / spanMs), point]))
  const spans = [...placed.keys()]
  const last = Math.max(...spans)
  const first = Math.max(Math.min(...spans), last - spansMax + 1)
  const grid = Array.from(
    { length: spans.length === 0 ? 0 : last - first + 1 },
    (_, at) => first + at
  )
  return {
    atSeconds: grid.map((span) => (span * spanMs) / 1000),
    points: grid.map((span) => placed.get(span) ?? null)
  }
}

/** The values of one line. */
export const valuesOf = (
  { points }: SeriesGrid,
  read: (point: SeriesPoint) => number
): ReadonlyArray<number | null> => points.map((point) => (point === null ? null : read(point)))

/** Refusals of a point, whatever refused them. */
export const refusalsIn = ({ refused }: SeriesPoint): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0)

/** All refusals of the hour by limit or code, the most frequent first. */
export const refusalsOf = (
  points: ReadonlyArray<SeriesPoint>
): ReadonlyArray<readonly [name: string, count: number]> => {
  const sums = new Map<string, number>()
  for (const { refused } of points) {
    for (const [name, count] of Object.entries(refused)) {
      sums.set(name, (sums.get(name) ?? 0) + count)
    }
  }
  return [...sums].toSorted(([, one], [, other]) => other - one)
}

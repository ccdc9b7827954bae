import { CornersMax, Paper } from "./schema.ts"

export interface Point {
  readonly x: number
  readonly y: number
}

/** On the paper, in whole units. */
export const onPaper = ({ x, y }: Point): Point => ({
  x: Math.round(Math.min(Math.max(x, 0), Paper.width)),
  y: Math.round(Math.min(Math.max(y, 0), Paper.height))
})

/** The line with as few corners as show the same; never more than a stroke has. */
export const fewCorners = (line: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  for (let off = 1; ; off *= 2) {
    const kept = within(line, off)
    if (kept.length <= CornersMax) return kept
  }
}

/** The ends, and between them each point that is farther off than the others leave it. */
const within = (line: ReadonlyArray<Point>, off: number): ReadonlyArray<Point> => {
  const [first, last] = [line[0], line.at(-1)]
  if (first === undefined || last === undefined || line.length < 3) return line
  let [farthest, at] = [0, 0]
  for (const [place, point] of line.entries()) {
    const away = distance(point, first, last)
    if (away > farthest) [farthest, at] = [away, place]
  }
  if (farthest <= off) return [first, last]
  return [...within(line.slice(0, at + 1), off).slice(0, -1), ...within(line.slice(at), off)]
}

/** From a point to the straight between two others. */
export const distance = (point: Point, from: Point, to: Point): number => {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / length
  const share = Math.min(Math.max(along, 0), 1)
  return Math.hypot(point.x - from.x - share * dx, point.y - from.y - share * dy)
}

/** As a record of the room holds it. */
export const cornersOf = (line: ReadonlyArray<Point>): ReadonlyArray<number> =>
  fewCorners(line).flatMap(({ x, y }) => [x, y])

export const lineOf = (corners: ReadonlyArray<number>): ReadonlyArray<Point> =>
  Array.from({ length: Math.floor(corners.length / 2) }, (_, at) => ({
    x: corners[2 * at] ?? 0,
    y: corners[2 * at + 1] ?? 0
  }))

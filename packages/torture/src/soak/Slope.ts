export interface Point {
  readonly x: number
  readonly y: number
}

/**
 * The slope of a line through points: the median of the slopes of all pairs (Theil and Sen). A few
 * samples that a garbage collection missed do not move it. 0 when there are no two places.
 */
export const slopeOf = (points: ReadonlyArray<Point>): number => {
  const slopes: Array<number> = []
  for (const [at, one] of points.entries()) {
    for (const other of points.slice(at + 1)) {
      if (other.x !== one.x) slopes.push((other.y - one.y) / (other.x - one.x))
    }
  }
  return medianOf(slopes) ?? 0
}

/** `null` when there is nothing. */
export const medianOf = (values: ReadonlyArray<number>): number | null => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  const lower = sorted[middle - 1]
  if (upper === undefined) return null
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2
}

/** The value in the middle, or the mean of the two there; `NaN` of none. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  return (at((sorted.length - 1) >> 1) + at(sorted.length >> 1)) / 2
}

/** The value that a part of all values does not exceed, by nearest rank; `NaN` of none. */
export const quantile = (sorted: ArrayLike<number>, part: number): number =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN

/** Which rows of a long list are drawn, and how much room the others take above and below. */
export interface RowWindow {
  readonly from: number
  /** Behind the last row that is drawn. */
  readonly to: number
  readonly abovePx: number
  readonly belowPx: number
}

export interface Seen {
  /** How far the first row is above the upper edge of what is seen; negative = it is below. */
  readonly scrolledPx: number
  readonly seenPx: number
  readonly rowPx: number
  readonly rows: number
}

/** Rows beyond both edges that are drawn as well, so that a fast scroll meets no gap. */
const extraRows = 12

/** The rows that a reader sees of a list, and some more. The window moves in steps, not with every pixel. */
export const windowOf = ({ scrolledPx, seenPx, rowPx, rows }: Seen): RowWindow => {
  const first = Math.floor(scrolledPx / rowPx)
  const last = Math.ceil((scrolledPx + seenPx) / rowPx)
  const from = within(Math.floor((first - extraRows) / extraRows) * extraRows, rows)
  const to = within(Math.ceil((last + extraRows) / extraRows) * extraRows, rows)
  return { from, to, abovePx: from * rowPx, belowPx: (rows - to) * rowPx }
}

const within = (row: number, rows: number): number => Math.max(0, Math.min(rows, row))

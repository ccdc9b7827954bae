/** The parts of an arena that the picture shows. */
export interface Scene {
  readonly plane: { readonly width: number; readonly height: number }
  readonly coins: Iterable<{ readonly x: number; readonly y: number }>
  readonly players: ReadonlyArray<{
    /** One character. */
    readonly mark: string
    readonly x: number
    readonly y: number
  }>
}

export interface PictureSize {
  readonly columns: number
  readonly rows: number
}

const coinMark = "o"

/** The arena in characters, inside of a frame: `rows + 2` lines of `columns + 2` characters. */
export const arenaPicture = (
  { plane, coins, players }: Scene,
  { columns, rows }: PictureSize
): ReadonlyArray<string> => {
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => " "))
  const put = (x: number, y: number, mark: string): void => {
    const row = cells[cell(y, { length: plane.height, cells: rows })]
    if (row !== undefined) row[cell(x, { length: plane.width, cells: columns })] = mark
  }
  for (const { x, y } of coins) put(x, y, coinMark)
  for (const { x, y, mark } of players) put(x, y, mark)
  const edge = `+${"-".repeat(columns)}+`
  return [edge, ...cells.map((row) => `|${row.join("")}|`), edge]
}

const cell = (at: number, { length, cells }: { length: number; cells: number }): number =>
  Math.min(cells - 1, Math.max(0, Math.floor((at / length) * cells)))

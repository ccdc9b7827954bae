/** The entities of a collection that are somewhere. */
export interface PlacedCollection {
  readonly name: string
  /** Its records with finite `x` and `y`, as far as they are drawn. */
  readonly points: ReadonlyArray<Point>
  /** Records that are not drawn, as they are too many. */
  readonly left: number
}

export interface Point {
  readonly id: number
  readonly x: number
  readonly y: number
}

/** The part of the plane that a map shows. */
export interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Entities of a collection that a map draws: more could not be told from each other. */
export const pointsMax = 5000

/** The collections whose records have numbers `x` and `y`. An empty collection is left out until its first record. */
export const placesOf = (
  state: Readonly<Record<string, unknown>>
): ReadonlyArray<PlacedCollection> =>
  Object.entries(state).flatMap(([name, part]) => {
    if (!isCollection(part)) return []
    const points: Array<Point> = []
    let left = 0
    for (const record of part) {
      const { id, x, y } = Object(record)
      if (typeof x !== "number" || typeof y !== "number") return []
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue
      if (points.length === pointsMax) left += 1
      else points.push({ id: Number(id), x, y })
    }
    return points.length === 0 ? [] : [{ name, points, left }]
  })

const isCollection = (part: unknown): part is Iterable<unknown> =>
  typeof part === "object" && part !== null && Symbol.iterator in part && "size" in part

/** The area with these points in it, and all that it had before: a map that follows every move cannot be read. */
export const areaWith = (
  area: Area | null,
  places: ReadonlyArray<PlacedCollection>
): Area | null => {
  const points = places.flatMap(({ points: some }) => some)
  if (points.length === 0) return area
  let [left, top] = [area?.left ?? Infinity, area?.top ?? Infinity]
  let right = area === null ? -Infinity : area.left + area.width
  let bottom = area === null ? -Infinity : area.top + area.height
  for (const { x, y } of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { left, top, width: right - left, height: bottom - top }
}

/** Where a point of an area is in a picture, in pixels: as large as it fits, with a margin, and undistorted. */
export const placeIn = (
  area: Area,
  { width, height }: { readonly width: number; readonly height: number },
  { x, y }: Pick<Point, "x" | "y">
): readonly [x: number, y: number] => {
  const [roomX, roomY] = [width - 2 * margin, height - 2 * margin]
  const scale = Math.min(
    area.width === 0 ? Infinity : roomX / area.width,
    area.height === 0 ? Infinity : roomY / area.height
  )
  // All that there is stands on one spot, or the numbers are too far apart to have a scale.
  const used = Number.isFinite(scale) && scale > 0 ? scale : 1
  return [
    width / 2 + (x - (area.left + area.width / 2)) * used,
    height / 2 + (y - (area.top + area.height / 2)) * used
  ]
}

const margin = 14

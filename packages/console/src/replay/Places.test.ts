import { expect, test } from "vitest"

import { areaWith, placeIn, placesOf, pointsMax } from "./Places.ts"

/** A collection as a state has it. */
const collection = (records: ReadonlyArray<object>) =>
  new Set(records.map((record, at) => ({ id: at + 1, ...record })))

test("[C-838] the collections whose records have numbers x and y are on the map", () => {
  const state = {
    score: { x: 1, y: 2 },
    tags: collection([{ name: "a" }]),
    named: collection([{ x: "1", y: 2 }]),
    none: collection([]),
    bodies: collection([
      { x: 1, y: 2 },
      { x: Number.NaN, y: 2 },
      { x: 3, y: Number.NEGATIVE_INFINITY }
    ])
  }
  expect(placesOf(state)).toEqual([{ name: "bodies", points: [{ id: 1, x: 1, y: 2 }], left: 0 }])
  const many = collection(Array.from({ length: pointsMax + 1 }, () => ({ x: 0, y: 0 })))
  const [place] = placesOf({ many })
  expect([place?.points.length, place?.left]).toEqual([pointsMax, 1])
})

test("[C-838] the map has room for all that it ever showed, undistorted", () => {
  const at = (x: number, y: number) => [{ name: "a", points: [{ id: 1, x, y }], left: 0 }]
  expect(areaWith(null, [])).toBe(null)
  const spot = areaWith(null, at(5, 5))
  expect(spot).toEqual({ left: 5, top: 5, width: 0, height: 0 })
  const area = areaWith(areaWith(spot, at(105, 5)), at(5, 55))
  expect(area).toEqual({ left: 5, top: 5, width: 100, height: 50 })
  expect(areaWith(area, at(20, 20))).toEqual(area)
  if (area === null || spot === null) throw new Error("no area")
  const picture = { width: 228, height: 528 }
  expect(placeIn(area, picture, { x: 5, y: 5 })).toEqual([14, 214])
  expect(placeIn(area, picture, { x: 105, y: 55 })).toEqual([214, 314])
  expect(placeIn(spot, picture, { x: 5, y: 5 })).toEqual([114, 264])
  const huge = { left: -1.7e308, top: 0, width: Infinity, height: 0 }
  for (const each of placeIn(huge, picture, { x: 1.7e308, y: 0 })) expect(each).toBeTypeOf("number")
})

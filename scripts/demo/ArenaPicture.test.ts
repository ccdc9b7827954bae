import { expect, test } from "vitest"

import { arenaPicture } from "./ArenaPicture.ts"

const plane = { width: 100, height: 60 }

test("[demo.picture] corners, centre and players over coins", () => {
  const coins = [
    { x: 0, y: 0 },
    { x: 50, y: 30 },
    { x: 99.9, y: 59.9 }
  ]
  const players = [{ mark: "A", x: 50, y: 30 }]
  expect(arenaPicture({ plane, coins, players }, { columns: 5, rows: 3 })).toEqual([
    "+-----+",
    "|o    |",
    "|  A  |",
    "|    o|",
    "+-----+"
  ])
})

test("[demo.picture] draws things on or past the edge inside", () => {
  const players = [
    { mark: "A", x: 100, y: 60 },
    { mark: "B", x: -3, y: 70 }
  ]
  expect(arenaPicture({ plane, coins: [], players }, { columns: 4, rows: 2 })).toEqual([
    "+----+",
    "|    |",
    "|B  A|",
    "+----+"
  ])
})

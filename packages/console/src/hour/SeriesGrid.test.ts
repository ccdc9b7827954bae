import type { SeriesPoint } from "@atrium/domain/metrics/MetricsApi"
import { describe, expect, it } from "vitest"

import { gridOf, refusalsOf, valuesOf } from "./SeriesGrid.ts"

const point = (second: number, players: number, refused = {}): SeriesPoint => ({
  at: new Date(second * 1000).toISOString(),
  roomsByState: { starting: 0, awake: 1, draining: 0, hibernated: 0, restarting: 0, closed: 0 },
  players,
  sockets: players,
  joins: 0,
  refused,
  errors: 0,
  exits: 0,
  ingressBytes: 0,
  egressBytes: 0,
  memoryBytes: 0
})

describe("the last hour of a project", () => {
  it("[C-774] a span that nobody measured stays a gap", () => {
    const grid = gridOf([point(100, 1), point(110, 2), point(140, 3)])
    expect(grid.atSeconds).toEqual([100, 110, 120, 130, 140])
    expect(valuesOf(grid, ({ players }) => players)).toEqual([1, 2, null, null, 3])
    expect(gridOf([])).toEqual({ atSeconds: [], points: [] })
  })

  it("[C-774] shows an hour, also where runners' points come in any order", () => {
    const grid = gridOf([point(5000, 2), point(0, 1), point(4990, 1)])
    expect([grid.atSeconds.length, grid.atSeconds[0], grid.atSeconds.at(-1)]).toEqual([
      360, 1410, 5000
    ])
  })

  it("[C-774] sums refusals by what refused them", () => {
    const points = [point(0, 0, { E_ROOM_FULL: 1, rate: 2 }), point(10, 0, { E_ROOM_FULL: 4 })]
    expect(refusalsOf(points)).toEqual([
      ["E_ROOM_FULL", 5],
      ["rate", 2]
    ])
  })
})

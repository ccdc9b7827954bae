import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { DayMs } from "../limits/Limit.ts"
import { afterIdle, expectedScore, type Game, ratedBy, startingRating } from "./Glicko.ts"
import { ratedByReport } from "./RatedReport.ts"

const rated = (rating: number, deviation: number) => ({ rating, deviation })
const game = (opponent: Game["opponent"], score: number): Game => ({ opponent, score, weight: 1 })
const newcomers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...startingRating, place: index + 1 }))
const rounded = (ratings: ReadonlyArray<{ readonly rating: number }>) =>
  ratings.map(({ rating }) => Math.round(rating))

/** The example of the paper: one win and two losses. */
const example = [game(rated(1400, 30), 1), game(rated(1550, 100), 0), game(rated(1700, 300), 0)]

describe("Glickman, The Glicko system", () => {
  test("[rating.start] the example of the paper ends at 1464.1 with deviation 151.4", () => {
    const after = ratedBy(rated(1500, 200), example)
    expect(after.rating).toBeCloseTo(1464.1, 1)
    expect(after.deviation).toBeCloseTo(151.4, 1)
  })

  test("[rating.start] the expected scores of the example are .639, .432 and .303", () => {
    const expected = example.map(({ opponent }) => expectedScore(1500, opponent).toFixed(3))
    expect(expected).toEqual(["0.639", "0.432", "0.303"])
  })
})

describe("a report", () => {
  test("[C-590] of two newcomers is a game of Glicko-1", () => {
    const [winner, loser] = ratedByReport(newcomers(2))
    expect(winner).toEqual(ratedBy(startingRating, [game(startingRating, 1)]))
    expect(rounded([winner ?? startingRating, loser ?? startingRating])).toEqual([1662, 1338])
  })

  test("[C-590] of eight newcomers moves the first and the last no further than a game of two", () => {
    const after = ratedByReport(newcomers(8))
    expect(rounded(after)).toEqual([1662, 1616, 1570, 1523, 1477, 1430, 1384, 1338])
    expect(new Set(after.map(({ deviation }) => Math.round(deviation)))).toEqual(new Set([290]))
  })

  test("[rating.ties] equal places are a draw: equal players stay, unequal ones meet", () => {
    expect(ratedByReport([...newcomers(2)].map((player) => ({ ...player, place: 1 })))).toEqual([
      { rating: 1500, deviation: expect.closeTo(290.2, 1) },
      { rating: 1500, deviation: expect.closeTo(290.2, 1) }
    ])
    const [strong, weak] = ratedByReport([
      { ...rated(1700, 100), place: 3 },
      { ...rated(1300, 100), place: 3 }
    ])
    expect(strong?.rating).toBeLessThan(1700)
    expect(weak?.rating).toBeGreaterThan(1300)
  })

  test("[C-592] the deviation falls to 30 and no further, so that a rating goes on moving", () => {
    let player = startingRating
    for (let games = 0; games < 2000; games += 1) {
      player = ratedBy(player, [game(rated(1500, 30), games % 2)])
    }
    expect(player.deviation).toBe(30)
    expect(ratedBy(player, [game(rated(1500, 30), 1)]).rating - player.rating).toBeGreaterThan(2)
  })

  test("[rating.report.players] any report gives finite ratings, and better places no less", () => {
    const placed = fc.record({
      rating: fc.double({ min: -10_000, max: 10_000, noNaN: true }),
      deviation: fc.double({ min: 30, max: 350, noNaN: true }),
      place: fc.integer({ min: 1, max: 64 })
    })
    fc.assert(
      fc.property(fc.array(placed, { minLength: 2, maxLength: 64 }), (players) => {
        for (const { rating, deviation } of ratedByReport(players)) {
          expect(Number.isFinite(rating)).toBe(true)
          expect(deviation >= 30 && deviation <= 350).toBe(true)
        }
        const alike = players.map(({ place }) => ({ ...startingRating, place }))
        const after = ratedByReport(alike).map(({ rating }, index) => ({
          rating,
          place: alike[index]?.place ?? 0
        }))
        after.sort((one, other) => one.place - other.place)
        for (const [index, { rating }] of after.entries()) {
          expect(rating).toBeLessThanOrEqual((after[index - 1]?.rating ?? Infinity) + 1e-9)
        }
      }),
      { numRuns: 100 }
    )
  })
})

describe("an idle player", () => {
  test("[C-591] has deviation 350 again a year after one of 50; the rating stays", () => {
    expect(afterIdle(rated(1800, 50), 365 * DayMs)).toEqual(rated(1800, 350))
    expect(afterIdle(rated(1800, 50), 364 * DayMs).deviation).toBeLessThan(350)
    expect(afterIdle(rated(1800, 50), 900 * DayMs)).toEqual(rated(1800, 350))
    expect(afterIdle(rated(1800, 50), DayMs).deviation).toBeCloseTo(53.2, 1)
  })

  test("[C-591] is no more certain after a clock that went back", () => {
    expect(afterIdle(rated(1800, 50), -DayMs)).toEqual(rated(1800, 50))
  })
})

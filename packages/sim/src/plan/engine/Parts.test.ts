import { DayMs, HourMs, MinuteMs } from "@atrium/wire/limits/Limit"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { momentMs, planPeriod } from "../PlanPeriod.ts"
import { planScenario } from "../testing/PlanScenario.ts"
import { arrivalRates } from "./Arrivals.ts"
import { Chance } from "./Chance.ts"
import { EventHeap } from "./EventHeap.ts"
import { FillLists } from "./FillLists.ts"
import { snapshotsPerHour } from "./SnapshotPace.ts"

test("[sim.plan] events come in the order of their moments", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 3000 }), (moments) => {
      const heap = new EventHeap()
      moments.forEach((atMs, subject) => heap.push({ atMs, kind: 3, subject }))
      const taken = moments.map(() => heap.pop())
      expect(taken.map(({ atMs }) => atMs)).toEqual(moments.toSorted((a, b) => a - b))
      const subjects = taken.map(({ subject }) => subject).toSorted((a, b) => a - b)
      expect(subjects).toEqual(moments.map((_, at) => at))
      expect(heap.nextAtMs).toBe(Number.POSITIVE_INFINITY)
    }),
    { numRuns: 30 }
  )
})

test("[sim.plan] the fullest room with a place is found", () => {
  const lists = new FillLists(3)
  expect(lists.fullest()).toBe(-1)
  lists.add(7, 0)
  lists.add(8, 2)
  lists.add(9, 3)
  expect(lists.fullest()).toBe(8)
  lists.remove(8, 2)
  expect(lists.fullest()).toBe(7)
  lists.remove(7, 0)
  expect(lists.fullest()).toBe(-1)
})

test("[sim.plan] a stream of chance is that of its seed, and looks like chance", () => {
  const draw = (seed: string) => {
    const chance = new Chance(seed)
    return Array.from({ length: 20_000 }, () => [chance.share(), chance.normal(), chance.gap()])
  }
  expect(draw("a")).toEqual(draw("a"))
  expect(draw("a")[0]).not.toEqual(draw("b")[0])
  const mean = (column: number) =>
    draw("a").reduce((sum, row) => sum + (row[column] ?? 0), 0) / 20_000
  expect(mean(0)).toBeCloseTo(0.5, 1)
  expect(mean(1)).toBeCloseTo(0, 1)
  expect(mean(2)).toBeCloseTo(1, 1)
})

describe("who comes", () => {
  const perDay = (changes: Readonly<Record<string, unknown>>, day: number): number => {
    const scenario = planScenario(changes)
    const rates = arrivalRates(scenario, planPeriod(scenario))
    const minutes = rates.subarray(((day - 1) * DayMs) / MinuteMs, (day * DayMs) / MinuteMs)
    return minutes.reduce((sum, rate) => sum + rate * MinuteMs, 0)
  }

  // 5 December 2026 is a Saturday.
  test.each([
    ["a working day", { "players.daily": 1000 }, 1, 1000],
    ["the wave of a day", { "players.daily": 1000, "players.shape": "diurnal" }, 1, 1000],
    ["a weekend's day", { "players.daily": 1000, "players.weekend": 1.5 }, 5, 1500],
    [
      "regions whose weekend begins earlier",
      { "players.daily": 1000, "players.weekend": 2, "players.regions": { asia: 1 } },
      4,
      1000 + (1000 * 8) / 24
    ],
    [
      "a crowd",
      { events: [{ at: "day 2 23:58", kind: "flashCrowd", players: 600, over: "4m" }] },
      2,
      1440 + 300
    ],
    [
      "a crowd of a moment",
      { events: [{ at: "day 2", kind: "flashCrowd", players: 600, over: "1s" }] },
      2,
      1440 + 600
    ]
  ] as const)("[sim.plan] %s", (...[, changes, day, players]) => {
    expect(perDay(changes, day)).toBeCloseTo(players, 6)
  })

  test("[sim.plan] most come at the peak of their own time, fewest half a day from it", () => {
    const scenario = planScenario({
      "players.shape": "diurnal",
      "players.peak": "20:00",
      "players.trough": 0.1,
      "players.regions": { us: 1 }
    })
    const day = arrivalRates(scenario, planPeriod(scenario)).subarray(0, DayMs / MinuteMs)
    const most = Math.max(...day)
    // 20:00 six hours west of UTC is 02:00.
    expect(day.indexOf(most)).toBe(2 * 60)
    expect(day[14 * 60]).toBeCloseTo(most / 10, 9)
  })
})

test("[sim.plan] a weekday is the first such day of the period", () => {
  const period = planPeriod(planScenario())
  const at = (day: "sat" | "tue" | number) =>
    (momentMs(period, { day, minuteOfDay: 60 }) - period.startMs - HourMs) / DayMs
  expect([at("tue"), at("sat"), at(1), at(31)]).toEqual([0, 4, 0, 30])
  expect(planPeriod(planScenario({ "plan.month": "2026-02" })).days).toBe(28)
})

describe("[D-48] snapshots, as the service's own machine takes them", () => {
  const all = Number.POSITIVE_INFINITY
  test.each([
    ["of a room that does not change", { changesHz: 0, durableCallsPerHour: 0 }, 0, 0],
    ["of one that changes all the time", { changesHz: all, durableCallsPerHour: 0 }, 359, 360],
    ["of one that changes once an hour", { changesHz: 1 / 3600, durableCallsPerHour: 0 }, 0, 4],
    ["of one with durable calls besides", { changesHz: all, durableCallsPerHour: 60 }, 365, 420]
  ] as const)("%s", (...[, writing, least, most]) => {
    const snapshots = snapshotsPerHour(writing)
    expect(snapshots).toBeGreaterThanOrEqual(least)
    expect(snapshots).toBeLessThanOrEqual(most)
    expect(snapshotsPerHour(writing)).toBe(snapshots)
  })
})

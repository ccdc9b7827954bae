import { expect, test } from "vitest"

import { ServerClock } from "./ServerClock.ts"
import { SmoothTick } from "./SmoothTick.ts"

const tickMs = 50

/** A clock that has had the states of 20 ticks a second, each so late. */
const clockOf = (lateMs: (tick: number) => number, ticks = 100) => {
  const clock = new ServerClock(1000 / tickMs)
  const arrivals = Array.from({ length: ticks }, (_, tick) => ({
    tick,
    atMs: tick * tickMs + lateMs(tick)
  })).toSorted((a, b) => a.atMs - b.atMs)
  for (const { tick, atMs } of arrivals) clock.arrived(tick, atMs)
  return clock
}

test("[C-867] knows the tick whose state comes now by the quickest states of the last seconds", () => {
  const clock = clockOf((tick) => (tick % 7 === 0 ? 80 : 280))
  expect(clock.arrivingTick(200 * tickMs + 80)).toBeCloseTo(200, 6)
})

test("[C-867] follows a way that has become slower", () => {
  const clock = clockOf((tick) => (tick < 50 ? 20 : 120), 200)
  expect(clock.arrivingTick(300 * tickMs + 120)).toBeCloseTo(300, 6)
})

test("[C-867] is ahead by a round trip and a tick; few slow ones change nothing", () => {
  const clock = clockOf(() => 0)
  for (const ms of [150, 150, 900, 150, 150, 900, 150]) clock.roundTrip(ms)
  expect(clock.leadTicks).toBe(4)
  for (let trip = 0; trip < 20; trip++) clock.roundTrip(300)
  expect(clock.leadTicks).toBe(7)
})

test("[C-867] takes the median of the last 20 round trips", () => {
  const clock = clockOf(() => 0)
  const leadAfter = (trips: number, ms: number) => {
    for (let trip = 0; trip < trips; trip++) clock.roundTrip(ms)
    return clock.leadTicks
  }
  expect(leadAfter(20, 150)).toBe(4)
  expect([leadAfter(9, 300), leadAfter(1, 300)]).toEqual([4, 7])
  expect(leadAfter(10, 300)).toBe(7)
  expect([leadAfter(10, 150), leadAfter(1, 150)]).toEqual([7, 4])
})

test("[C-867] a moment goes on evenly to one that jumped, and jumps where the difference is large", () => {
  const moment = new SmoothTick()
  expect(moment.follow(10, 1)).toBe(10.9)
  expect(moment.follow(14, 1)).toBeCloseTo(12, 6)
  expect(moment.follow(0, 1)).toBeCloseTo(12.9, 6)
  expect(moment.follow(100, 1)).toBe(100)
  expect(moment.follow(0, 1)).toBe(0)
})

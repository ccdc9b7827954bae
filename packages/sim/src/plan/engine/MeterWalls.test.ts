import { allowances } from "@atrium/domain/meters/Caps"
import { GiB, MinuteMs } from "@atrium/wire/limits/Limit"
import { expect, test } from "vitest"

import { planScenario } from "../testing/PlanScenario.ts"
import { MeterWalls } from "./MeterWalls.ts"

const none = { warnedAtMs: null, allowanceAtMs: null, ceilingAtMs: null, walledAtMs: null }

test("[caps.lag.room-hours] the wall of room hours stands 95 s after the ceiling is reached, not below it", () => {
  const walls = new MeterWalls(planScenario({ "plan.caps.roomHours": 50 }))
  expect(walls.reaches("roomHours", 39.9)).toBe(false)
  expect(walls.reaches("roomHours", 40)).toBe(true)
  expect(walls.reached("roomHours", { used: 40, perMs: 1 }, 40)).toBe(null)
  expect(walls.reaches("roomHours", 49.9)).toBe(false)
  // Seen 2 ms late: the ceiling was reached at 50.
  expect(walls.reached("roomHours", { used: 52, perMs: 1 }, 52)).toBe(50 + 95_000)
  expect(walls.atWake()).toBe(null)
  walls.raise("roomHours", 95_050)
  expect(walls.atWake()).toEqual({
    meter: "roomHours",
    cap: 50,
    endMs: Date.parse("2027-01-01T00:00:00Z")
  })
  expect(walls.momentsOf("roomHours")).toEqual({
    ...none,
    warnedAtMs: 40,
    ceilingAtMs: 50,
    walledAtMs: 95_050
  })
})

test("[caps.tiers] an allowance is a wall on the free plan, and none with a card", () => {
  const wallOf = (tier: string) =>
    new MeterWalls(planScenario({ "plan.tier": tier })).reached(
      "roomHours",
      { used: 100, perMs: 1 },
      7
    )
  expect([wallOf("free"), wallOf("card")]).toEqual([7 + 95_000, null])
})

test("[C-651] an allowance that the scenario names takes the place of the service's default", () => {
  const free = {
    "plan.tier": "free",
    "plan.allowances": { roomHours: 30, storageBytes: "1KB" }
  }
  const walls = new MeterWalls(planScenario(free))
  expect(walls.reaches("roomHours", 23)).toBe(false)
  expect(walls.reaches("roomHours", 24)).toBe(true)
  expect(walls.reached("roomHours", { used: 29, perMs: 1 }, 7)).toBe(null)
  expect(walls.reached("roomHours", { used: 30, perMs: 1 }, 8)).toBe(8 + 95_000)
  expect(walls.reaches("storageBytes", 1024)).toBe(true)
  // The others keep theirs, and with a card the named one is no wall either.
  expect(walls.reaches("dataOutBytes", 0.8 * allowances.free.dataOutBytes - 1)).toBe(false)
  expect(walls.reaches("dataOutBytes", 0.8 * allowances.free.dataOutBytes)).toBe(true)
  const card = new MeterWalls(planScenario({ ...free, "plan.tier": "card" }))
  expect(card.reached("roomHours", { used: 30, perMs: 1 }, 8)).toBe(null)
  expect(card.momentsOf("roomHours")).toMatchObject({ allowanceAtMs: 8, walledAtMs: null })
})

test("[caps.data-out.overshoot] data out goes 5 GB past the cap", () => {
  const walls = new MeterWalls(planScenario({ "plan.caps.dataOutBytes": "20GB" }))
  const at = (used: number) => walls.reached("dataOutBytes", { used, perMs: 1 }, 9)
  expect(at(20 * GiB)).toBe(null)
  expect(walls.reaches("dataOutBytes", 25 * GiB - 1)).toBe(false)
  expect(walls.reaches("dataOutBytes", 25 * GiB)).toBe(true)
  expect(at(25 * GiB)).toBe(9)
})

test("[caps.lag.storage] the wall of stored bytes follows them 17 minutes later, up and down", () => {
  const walls = new MeterWalls(planScenario({ "plan.caps.storageBytes": 100 }))
  const stored = [...Array<number>(3).fill(100), ...Array<number>(40).fill(99)]
  const standings = stored.map((bytes, minute) => {
    walls.storageMinute(bytes, minute * MinuteMs)
    return walls.standing("storageBytes")
  })
  expect(standings.indexOf("walled")).toBe(17)
  expect(standings.lastIndexOf("walled")).toBe(19)
  expect(walls.momentsOf("storageBytes").walledAtMs).toBe(17 * MinuteMs)
})

test("[caps.ceiling] a ceiling of 0 is reached before anything is used", () => {
  const walls = new MeterWalls(planScenario({ "plan.caps.roomHours": 0 }))
  expect(walls.reaches("roomHours", 0)).toBe(true)
  expect(walls.reached("roomHours", { used: 0, perMs: 0 }, 3)).toBe(3 + 95_000)
})

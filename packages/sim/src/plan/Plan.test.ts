import { allowances } from "@atrium/domain/meters/Caps"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { defaultCalibration } from "../calibration/DefaultCalibration.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import { costOf, planning, type PlanOutcome } from "./Plan.ts"
import { summarized, type RunSummary } from "./PlanRuns.ts"
import { makeReport } from "./report/MakeReport.ts"
import { PlanReport } from "./report/PlanReport.ts"
import { planScenario } from "./testing/PlanScenario.ts"
import { changedText } from "./WhatIf.ts"

const planned = (scenario: Scenario, seed = 1) => ({
  scenario,
  calibration: defaultCalibration,
  seed
})

/** @param stopAfter how many times it is told to go on; `Infinity` = to the end */
const outcomeOf = (scenario: Scenario, { runs = 1, seed = 1, stopAfter = Infinity } = {}) => {
  const going = planning(planned(scenario, seed), runs)
  let step = going.next()
  for (let told = 0; step.done !== true; told++) step = going.next(told < stopAfter)
  return step.value
}

const reportOf = (scenario: Scenario, outcome: PlanOutcome | null) => {
  if (outcome === null) throw new Error("the plan was stopped")
  return makeReport(planned(scenario), outcome, {
    name: "x.yaml",
    whatIf: [],
    isDefaultCalibration: true
  })
}

const days = (scenario: Scenario, seed: number): RunSummary => {
  const going = summarized(planned(scenario, seed), { run: 0, fromMs: 0, toMs: 2 * 86_400_000 })
  let step = going.next()
  while (step.done !== true) step = going.next(true)
  if (step.value === null) throw new Error("nothing was run")
  return step.value
}

const games = fc.record({
  "game.maxClients": fc.integer({ min: 1, max: 16 }),
  "game.tickHz": fc.integer({ min: 0, max: 20 }),
  "game.hibernateAfter": fc.constantFrom("0s", "5s", "2m"),
  "session.minutes": fc.constantFrom(1, 9, { lognormal: [6, 1] }),
  "session.persistentRooms": fc.constantFrom(0, 0.5),
  "session.rejoinAfterDrop": fc.constantFrom(0, 0.7, 1),
  "players.daily": fc.integer({ min: 200, max: 3000 }),
  "players.shared": fc.constantFrom({ share: 0 }, { share: 1, players: 100 }),
  "plan.tier": fc.constantFrom("free", "card"),
  "plan.caps": fc.constantFrom({}, { roomHours: 30 }, { dataOutBytes: 1e9 }, { storageBytes: 1e5 }),
  events: fc.constantFrom(
    [],
    [
      { at: "day 1 06:00", kind: "flashCrowd", players: 1000, over: "2m" },
      { at: "day 1 12:00", kind: "deploy" },
      { at: "day 1 18:00", kind: "killRunner" },
      { at: "day 2", kind: "runawayLoop", rooms: 15 }
    ]
  )
})

/** Chance makes the peaks of a month, so laws about peaks and prices hold of most months: these are always the same. */
const worlds = 1

describe("laws", () => {
  test("[sim.plan] every session that starts is played, lost, refused or waits", () => {
    fc.assert(
      fc.property(games, fc.integer(), (game, seed) => {
        const { sessions, refusals } = days(planScenario(game), seed)
        const { started, played, lost, refused, waiting } = sessions
        expect(played + lost + refused + waiting).toBe(started)
        expect(Math.min(played, lost, refused, waiting)).toBeGreaterThanOrEqual(0)
        const gaveUp = Object.values(refusals).reduce((sum, { players }) => sum + players, 0)
        expect(gaveUp).toBeGreaterThanOrEqual(refused)
        expect(gaveUp).toBeLessThanOrEqual(refused + lost)
      }),
      { numRuns: 30 }
    )
  })

  /**
   * Three things may cost more with a ceiling, and are left out: a wall that refuses a deploy drops nobody, a room
   * without ticks that takes more players lets more hear each message, and players of one address who meet at fewer
   * servers find other buckets.
   */
  const plain = {
    "plan.tier": "card",
    "players.shared.share": 0,
    events: [
      { at: "day 1 06:00", kind: "flashCrowd", players: 1000, over: "2m" },
      { at: "day 2", kind: "runawayLoop", rooms: 15 }
    ]
  }
  test("[sim.plan] a ceiling never raises the cost", () => {
    fc.assert(
      fc.property(games, fc.integer(), (game, seed) => {
        const ticks = { "game.tickHz": Math.max(1, game["game.tickHz"]) }
        const capped = planScenario({ ...game, ...plain, ...ticks })
        const free = planScenario({ ...game, ...plain, ...ticks, "plan.caps": {} })
        const cost = (scenario: Scenario) => costOf(days(scenario, seed), scenario).total
        expect(cost(capped)).toBeLessThanOrEqual(cost(free))
      }),
      { numRuns: 20, seed: worlds }
    )
  })

  /** A flash crowd is as large either way, and how many of it come in one minute is chance: it is left out. */
  test("[sim.plan] four times the players never need fewer machines", () => {
    fc.assert(
      fc.property(games, fc.integer(), (game, seed) => {
        const at = (times: number) =>
          days(
            planScenario({
              ...game,
              "plan.tier": "card",
              "plan.caps": {},
              events: [],
              "players.daily": game["players.daily"] * times
            }),
            seed
          ).machines.all
        expect(at(4)).toBeGreaterThanOrEqual(at(1))
      }),
      { numRuns: 15, seed: worlds }
    )
  })
})

const busy = {
  "players.daily": 500,
  events: [
    { at: "sat 18:00", kind: "flashCrowd", players: 5000, over: "4m" },
    { at: "day 12", kind: "runawayLoop", rooms: 4 }
  ]
}

describe("a report", () => {
  const scenario = planScenario({
    ...busy,
    "plan.caps.dataOutBytes": "2GB",
    "plan.allowances.roomHours": 40
  })
  const outcome = outcomeOf(scenario, { runs: 2 })
  const report = reportOf(scenario, outcome)

  test("[sim.plan] has the same bytes for the same file and seed, and others for another seed", () => {
    const again = reportOf(scenario, outcomeOf(scenario, { runs: 2 }))
    expect(JSON.stringify(again)).toBe(JSON.stringify(report))
    const other = reportOf(scenario, outcomeOf(scenario, { runs: 2, seed: 2 }))
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(report))
  })

  test("[sim.plan] is one document of its schema, with every hour", () => {
    const decoded = Schema.decodeUnknownResult(PlanReport)(JSON.parse(JSON.stringify(report)))
    expect(Result.isSuccess(decoded)).toBe(true)
    expect(report.hours.sockets.max).toHaveLength(31 * 24)
    expect(report.leftOut.length).toBeGreaterThan(5)
    const [roomHours, voiceMinutes] = report.meters.map(({ allowance }) => allowance)
    expect([roomHours, voiceMinutes]).toEqual([40, allowances.card.voiceMinutes])
  })

  test("[sim.plan] the machines are those of the busiest minute, and one spare", () => {
    const { machines, busy: carries, needs, busiestAt } = report.fleet
    const need = Math.max(needs.cpu.p95, needs.serviceThread.p95, needs.memory.p95)
    expect(carries.p95).toBe(Math.max(1, Math.ceil(need)))
    expect(machines.p95).toBe(carries.p95 + 1)
    expect(busiestAt).toMatch(/^2026-12-05T18:0/)
  })

  test("[sim.plan] says what the month costs without caps, and what the loop would have made", () => {
    const { withCaps, withoutCaps, runaway } = report.cost
    const [capped = 0, uncapped = 0] = [outcome?.runs[0], outcome?.uncapped].map((run) =>
      run === undefined || run === null ? 0 : costOf(run, scenario).total
    )
    // The first run is not the one that needs most: what caps save is compared within one run.
    expect(withCaps.p95.total).toBeGreaterThan(capped)
    expect(uncapped).toBeGreaterThan(capped)
    expect(withoutCaps?.total).toBeCloseTo(withCaps.p95.total + uncapped - capped)
    // The wall of data out puts the loop's rooms to sleep as well.
    expect(runaway?.withCaps.roomHours).toBeLessThan(1)
    expect(runaway?.withoutCaps.roomHours).toBeCloseTo(4 * 24 * 20, 0)
  })

  test("[sim.plan] the wall is no promise that is kept, and the answer depends on something", () => {
    const broken = report.promises.filter(({ kept }) => !kept).map(({ name }) => name)
    expect([broken, report.kept]).toEqual([["caps"], false])
    const most = report.dependsOn.slice(0, 3).map(({ parameter }) => parameter)
    expect(most).toContain("events.0.players")
    expect(report.meters.find(({ meter }) => meter === "dataOutBytes")?.walledAt?.inRuns).toBe(1)
  })

  test("[sim.plan] a plan that is stopped is about what it has", () => {
    const half = outcomeOf(scenario, { runs: 3, stopAfter: 10 })
    const stopped = reportOf(scenario, half)
    expect([stopped.runs, stopped.period.plannedDays, stopped.hours.count]).toEqual([0, 10, 240])
    expect(stopped.cost.withoutCaps).toBe(null)
    const after = reportOf(scenario, outcomeOf(scenario, { runs: 3, stopAfter: 40 }))
    expect([after.runs, after.period.plannedDays]).toEqual([1, 31])
    expect(outcomeOf(scenario, { stopAfter: 0 })).toBe(null)
  })
})

test("[sim.plan] --what-if changes one value, also of a list, and refuses what it cannot", () => {
  const text = "players: { daily: 3 }\nevents:\n  - { kind: deploy, at: day 3 }\n"
  const changed = (change: string) => Result.merge(changedText(text, change))
  expect(changed("players.daily=5")).toContain("daily: 5")
  expect(changed("plan.caps.roomHours=7")).toContain("roomHours: 7")
  expect(changed("events.0.at=day 4 10:00")).toContain("at: day 4 10:00")
  expect(changed("players.daily")).toBe(
    "--what-if players.daily: say a key and a value, such as players.daily=160000"
  )
  expect(changed("players.daily.x=3")).toBe(
    "--what-if players.daily.x=3: players.daily.x is no key of the scenario"
  )
})

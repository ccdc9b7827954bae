import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { readScenario } from "../scenario/ScenarioText.ts"
import { LoadLimits } from "./LoadLimits.ts"
import { type LoadPlan, loadPlan, momentAt, mostOf, peakPlayers, spanOf } from "./LoadPlan.ts"

const scenario = (more: object = {}, players: object = {}) =>
  Result.getOrThrow(
    readScenario(
      JSON.stringify({
        game: { patchBytes: 420, up: { hz: 20, bytes: 24 }, stateBytes: 64 },
        players: { daily: 14_400, shape: "flat", ...players },
        session: { minutes: 10 },
        fleet: { runner: { cores: 8, memory: "32GB" }, postgres: { writesPerSecond: 3000 } },
        ...more
      })
    )
  )
const once = { scale: 1, forMs: null }
const crowd = (players: number, over: string) => ({
  events: [{ kind: "flashCrowd", at: "day 1", players, over }]
})

describe("players at the peak", () => {
  test("[sim.load.phases] of a flat day they are those of Little's law; a weekend is busier", () => {
    expect(peakPlayers(scenario())).toBeCloseTo(100)
    expect(peakPlayers(scenario({}, { weekend: 1.5 }))).toBeCloseTo(150)
    expect(peakPlayers(scenario({}, { weekend: 0.5 }))).toBeCloseTo(100)
    const minutes = { lognormal: [10, 1] }
    expect(peakPlayers(scenario({ session: { minutes } }))).toBeCloseTo(100 * Math.exp(0.5))
  })

  test("[sim.load.phases] of a wave they are its top, and less when regions differ", () => {
    // The mean of a wave from 0 to 1 is one half.
    const wave = { shape: "diurnal", trough: 0 }
    expect(peakPlayers(scenario({}, wave))).toBeCloseTo(200)
    expect(peakPlayers(scenario({}, { ...wave, trough: 1 }))).toBeCloseTo(100)
    const regions = { eu: 0.5, us: 0.5 }
    const both = peakPlayers(scenario({}, { ...wave, regions }))
    expect(both).toBeGreaterThan(100)
    expect(both).toBeLessThan(170)
  })
})

describe("phases", () => {
  test("[sim.load.phases] without load they follow from players and the largest crowd", () => {
    const plan = loadPlan(scenario(crowd(900, "4m")), { scale: 0.1, forMs: 100_000 })
    expect(plan).toEqual({
      arrival: "players",
      phases: [
        { name: "ramp up", durationMs: 20_000, target: 10 },
        { name: "peak", durationMs: 20_000, target: 10 },
        { name: "flash crowd", durationMs: 20_000, target: 100 },
        { name: "after the crowd", durationMs: 30_000, target: 100 },
        { name: "ramp down", durationMs: 10_000, target: 0 }
      ]
    })
    const quick = loadPlan(scenario(crowd(900, "5s")), { scale: 0.1, forMs: 100_000 })
    expect(quick.phases[2]?.durationMs).toBe(5_000)
    expect(spanOf(quick)).toBe(100_000)
  })

  test("[sim.load.phases] without a span a run takes five minutes, and has one player at least", () => {
    const plan = loadPlan(scenario(), { scale: 1e-6, forMs: null })
    expect(spanOf(plan)).toBe(LoadLimits.runPreset.ms)
    expect(mostOf(plan)).toBe(1)
  })

  test("[sim.load.phases] named ones are scaled, and stretched to a span", () => {
    const load = {
      arrival: "joinsPerSecond",
      stages: [
        { duration: "30s", target: 8 },
        { duration: "90s", target: 4 }
      ]
    }
    const named = scenario({ load })
    expect(spanOf(loadPlan(named, once))).toBe(120_000)
    expect(loadPlan(named, { scale: 0.5, forMs: 12_000 })).toEqual({
      arrival: "joinsPerSecond",
      phases: [
        { name: "stage 1", durationMs: 3_000, target: 4 },
        { name: "stage 2", durationMs: 9_000, target: 2 }
      ]
    })
  })
})

const plans: fc.Arbitrary<LoadPlan> = fc.record({
  arrival: fc.constantFrom("players", "joinsPerSecond"),
  phases: fc.array(
    fc.record({
      name: fc.constant("stage"),
      durationMs: fc.integer({ min: 0, max: 100_000 }),
      target: fc.double({ min: 0, max: 1e6, noNaN: true })
    }),
    { minLength: 1, maxLength: 6 }
  )
})

describe("a moment", () => {
  test("[sim.load.phases] lies between the ends of its phase, and sums only grow", () => {
    fc.assert(
      fc.property(plans, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (plan, shares) => {
        let before = 0
        for (const share of [...shares].toSorted((a, b) => a - b)) {
          const { phase, target, sum } = momentAt(plan, share * spanOf(plan))
          const at = phase === null ? plan.phases.length - 1 : plan.phases.indexOf(phase)
          const ends = [plan.phases[at - 1]?.target ?? 0, plan.phases[at]?.target ?? 0]
          if (phase !== null) {
            expect(target).toBeGreaterThanOrEqual(Math.min(...ends) - 1e-6)
            expect(target).toBeLessThanOrEqual(Math.max(...ends) + 1e-6)
          }
          expect(sum).toBeGreaterThanOrEqual(before - 1e-6)
          before = sum
        }
      })
    )
  })

  test("[sim.load.phases] at the end the run is over, and the sum is the area below the line", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const area = plan.phases.reduce((sum, { durationMs, target }, index) => {
          const from = plan.phases[index - 1]?.target ?? 0
          return sum + ((from + target) / 2) * (durationMs / 1000)
        }, 0)
        const over = momentAt(plan, spanOf(plan))
        expect(over.phase).toBeNull()
        expect(over.sum).toBeCloseTo(area, 3)
      })
    )
  })
})

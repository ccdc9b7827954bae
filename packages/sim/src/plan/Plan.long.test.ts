import { readFileSync } from "node:fs"
import { join } from "node:path"

import { GiB, MinuteMs } from "@atrium/wire/limits/Limit"
import { Result } from "effect"
import { expect, test } from "vitest"

import { defaultCalibration } from "../calibration/DefaultCalibration.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import { readScenario } from "../scenario/ScenarioText.ts"
import { planning } from "./Plan.ts"
import { makeReport } from "./report/MakeReport.ts"
import { changedText } from "./WhatIf.ts"

const examples = join(import.meta.dirname, "../../../../examples/sim")

const example = (name: string, changes: ReadonlyArray<string> = []): Scenario => {
  const text = changes.reduce(
    (before, change) => Result.getOrThrow(changedText(before, change)),
    readFileSync(join(examples, name), "utf8")
  )
  return Result.getOrThrow(readScenario(text))
}

/** A whole plan of one run, and what it took. */
const planOf = (scenario: Scenario) => {
  const planned = { scenario, calibration: defaultCalibration, seed: 1 }
  const startMs = performance.now()
  const going = planning(planned, 1)
  let most = 0
  let step = going.next()
  while (step.done !== true) {
    most = Math.max(most, process.memoryUsage.rss())
    step = going.next(true)
  }
  if (step.value === null) throw new Error("nothing was planned")
  const told = { name: "x", whatIf: [], isDefaultCalibration: true }
  const report = makeReport(planned, step.value, told)
  return { report, rssBytes: most, tookMs: performance.now() - startMs }
}

test("[sim.plan] a month with a million rooms started takes less than a minute and 2 GiB", () => {
  const million = example("cards.yaml", ["players.daily=140000", "plan.caps={}"])
  const { report, rssBytes, tookMs } = planOf(million)
  expect(report.rooms.started.p50).toBeGreaterThan(1e6)
  expect(tookMs).toBeLessThan(MinuteMs)
  expect(rssBytes).toBeLessThan(2 * GiB)
})

test("[sim.plan] the arena: a crowd needs most machines, and the ceiling of data out is a wall", () => {
  const { report } = planOf(example("arena.yaml"))
  expect(report.fleet.busiestAt).toMatch(/^2026-12-05T18:/)
  expect(report.fleet.binds).toBe("serviceThread")
  const walled = report.meters.filter(({ walledAt }) => walledAt !== null)
  expect(walled.map(({ meter }) => meter)).toEqual(["dataOutBytes"])
  expect(report.kept).toBe(false)
})

test("[sim.plan] the card game: its ceiling of room hours is a wall before the month ends", () => {
  const { report } = planOf(example("cards.yaml"))
  const walled = report.meters.filter(({ walledAt }) => walledAt !== null)
  expect(walled.map(({ meter }) => meter)).toEqual(["roomHours"])
  const limits = report.refusals.map(({ limit }) => limit)
  expect(limits).toEqual(["noMatch", "roomHoursWall"])
})

test("[sim.plan] the party game keeps its promises, and its rooms wake again and again", () => {
  const { report } = planOf(example("party.yaml"))
  expect(report.kept).toBe(true)
  expect(report.rooms.woken.p50).toBeGreaterThan(report.rooms.started.p50)
  expect(report.meters.find(({ meter }) => meter === "voiceMinutes")?.used.p50).toBeGreaterThan(1e6)
})

import { DayMs } from "@atrium/wire/limits/Limit"
import { Result } from "effect"

import { defaultCalibration } from "../../calibration/DefaultCalibration.ts"
import type { Scenario } from "../../scenario/Scenario.ts"
import { readScenario } from "../../scenario/ScenarioText.ts"
import { Run, type RunResult } from "../engine/Run.ts"
import { planPeriod } from "../PlanPeriod.ts"
import { changedText } from "../WhatIf.ts"

/** A game of four to a room that comes evenly and plays for ten minutes, at the price of 100 a machine. */
const planText = `
game: { maxClients: 4, tickHz: 10, patchBytes: 200, up: { hz: 2, bytes: 20 }, stateBytes: 2KB }
players: { daily: 1440, shape: flat, shared: { share: 0 } }
session: { minutes: 10 }
plan: { tier: card, month: 2026-12 }
fleet: { runner: { cores: 4, memory: 8GB, perMonth: 100 }, postgres: { writesPerSecond: 500 }, egressPerGB: 1 }
`

/** The same with values changed, by their path. */
export const planScenario = (changes: Readonly<Record<string, unknown>> = {}): Scenario => {
  let text = planText
  for (const [path, value] of Object.entries(changes)) {
    text = Result.getOrThrow(changedText(text, `${path}=${JSON.stringify(value)}`))
  }
  return Result.getOrThrow(readScenario(text))
}

/** The first days of a run. */
export const ranDays = (scenario: Scenario, days: number, seed = "1"): RunResult => {
  const period = planPeriod(scenario)
  const run = new Run({ scenario, calibration: defaultCalibration, period, seed, skippedMs: 0 })
  run.through(days * DayMs)
  return run.result()
}

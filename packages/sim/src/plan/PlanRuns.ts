import { DayMs } from "@atrium/wire/limits/Limit"

import type { Calibration } from "../calibration/Calibration.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import type { Minutes } from "./engine/Minutes.ts"
import { Run, type RunResult } from "./engine/Run.ts"
import { machineNeeds, machinesOf, mostOf, type Resource } from "./Machines.ts"
import { planPeriod } from "./PlanPeriod.ts"
import { joinP99Ms } from "./Waits.ts"

/** What is planned: a scenario on machines of a calibration, by a seed. */
export interface Planned {
  readonly scenario: Scenario
  readonly calibration: Calibration
  readonly seed: number
}

/** What is kept of a run. */
export interface RunSummary extends RunResult {
  /** How much of the period was run, from its beginning. */
  readonly ranMs: number
  readonly needs: Readonly<Record<Resource, number>>
  readonly need: number
  readonly busiestMinute: number
  readonly machines: { readonly busy: number; readonly all: number }
  readonly writesPerSecondMost: number
  readonly egressBytes: number
  readonly joinP99Ms: number
}

/** Which part of the period is run, and as which of several runs. */
export interface Part {
  readonly run: number
  readonly fromMs: number
  readonly toMs: number
}

/**
 * One run, day by day: it yields how much it has run between days, and ends early when it is told to.
 *
 * @returns `null` = it was stopped before its first day was over
 */
export function* summarized(
  { scenario, calibration, seed }: Planned,
  { run, fromMs, toMs }: Part
): Generator<number, RunSummary | null, boolean> {
  const period = planPeriod(scenario)
  const going = new Run({
    scenario,
    calibration,
    period,
    seed: `${seed}/${run}`,
    skippedMs: fromMs
  })
  let ranMs = fromMs
  while (ranMs < toMs) {
    if (!(yield ranMs)) break
    ranMs = Math.min(toMs, ranMs + DayMs)
    going.through(ranMs)
  }
  return ranMs === fromMs ? null : summaryOf(going.result(), { scenario, calibration, ranMs })
}

const summaryOf = (
  result: RunResult,
  { scenario, calibration, ranMs }: Omit<Planned, "seed"> & { readonly ranMs: number }
): RunSummary => {
  const { minutes } = result
  const needs = { cpu: 0, serviceThread: 0, memory: 0 }
  const most = { need: 0, minute: 0, writes: 0, egressBytes: 0 }
  for (let minute = 0; minute < minutes.count; minute++) {
    const need = machineNeeds({ scenario, calibration }, rowOf(minutes, minute))
    needs.cpu = Math.max(needs.cpu, need.cpu)
    needs.serviceThread = Math.max(needs.serviceThread, need.serviceThread)
    needs.memory = Math.max(needs.memory, need.memory)
    if (mostOf(need) > most.need) {
      most.need = mostOf(need)
      most.minute = minute
    }
    most.writes = Math.max(most.writes, minutes.columns.writesPerSecond[minute] ?? 0)
    most.egressBytes += (minutes.columns.egressBytesPerSecond[minute] ?? 0) * 60
  }
  const machines = machinesOf(most.need)
  return {
    ...result,
    ranMs,
    needs,
    need: most.need,
    busiestMinute: most.minute,
    machines,
    writesPerSecondMost: most.writes + calibration.writes.perRunnerSecond * machines.busy,
    egressBytes: most.egressBytes,
    joinP99Ms: joinP99Ms({
      minutes,
      calibration,
      cores: machines.busy * scenario.fleet.runner.cores
    })
  }
}

export const rowOf = ({ columns }: Minutes, minute: number) => ({
  cpuCores: columns.cpuCores[minute] ?? 0,
  serviceCores: columns.serviceCores[minute] ?? 0,
  memoryBytes: columns.memoryBytes[minute] ?? 0
})

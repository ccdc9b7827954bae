import { DayMs, MinuteMs } from "@atrium/wire/limits/Limit"

import type { Calibration } from "../calibration/Calibration.ts"
import type { Column } from "../plan/engine/Minutes.ts"
import { momentMs, planPeriod } from "../plan/PlanPeriod.ts"
import { summarized } from "../plan/PlanRuns.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import type { Taken } from "./Compared.ts"

const seed = 1
/** Sessions of the first hours are fewer than those of a day that goes on. */
const warmMinutes = 360

/**
 * What a plan says that the service takes: in the minute in which the flash crowd comes, else in the mean of a day
 * whose players come evenly.
 */
export const plannedTaken = (scenario: Scenario, calibration: Calibration): Taken => {
  const crowd = scenario.events.find(({ kind }) => kind === "flashCrowd")
  const period = planPeriod(scenario)
  const crowdMinute =
    crowd === undefined ? null : (momentMs(period, crowd.at) - period.startMs) / MinuteMs
  const days = crowdMinute === null ? 1 : Math.ceil((crowdMinute + 1) / (DayMs / MinuteMs))
  const running = summarized(
    { scenario, calibration, seed },
    { run: 0, fromMs: 0, toMs: days * DayMs }
  )
  let step = running.next()
  while (step.done !== true) step = running.next(true)
  if (step.value === null) throw new Error("the plan ended before its first day was over")
  const { columns, count } = step.value.minutes
  const [from, to] = crowdMinute === null ? [warmMinutes, count] : [crowdMinute, crowdMinute + 1]
  const mean = (column: Column): number =>
    columns[column].subarray(from, to).reduce((sum, each) => sum + each, 0) / (to - from)
  const { cpu, memory } = calibration
  return {
    cpuCores: mean("cpuCores") + cpu.runnerIdleCores,
    memoryBytes: mean("memoryBytes") + memory.runnerBytes,
    egressBytesPerSecond: mean("egressBytesPerSecond")
  }
}

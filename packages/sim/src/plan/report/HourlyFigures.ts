import { HourMs, MinuteMs } from "@atrium/wire/limits/Limit"

import { quantile } from "../../Statistics.ts"
import { type Column, Columns } from "../engine/Minutes.ts"
import type { RunSummary } from "../PlanRuns.ts"
import type { Hourly } from "./PlanReport.ts"
import { rounded } from "./Spreads.ts"

const minutesOfHour = HourMs / MinuteMs

/** Each hour of a figure: over all its minutes in all runs. */
export const hourlyOf = (
  runs: ReadonlyArray<RunSummary>,
  column: Column,
  added: (run: RunSummary) => number
): Hourly => {
  const hours = Math.min(...runs.map(({ minutes }) => Math.floor(minutes.count / minutesOfHour)))
  const hourly = {
    mean: Array<number>(),
    p50: Array<number>(),
    p95: Array<number>(),
    max: Array<number>()
  }
  const all = new Float64Array(runs.length * minutesOfHour)
  for (let hour = 0; hour < hours; hour++) {
    runs.forEach((run, at) => {
      const from = hour * minutesOfHour
      const minutes = run.minutes.columns[column].subarray(from, from + minutesOfHour)
      const more = added(run)
      for (let minute = 0; minute < minutesOfHour; minute++) {
        all[at * minutesOfHour + minute] = (minutes[minute] ?? 0) + more
      }
    })
    const sum = all.reduce((total, value) => total + value, 0)
    all.sort()
    hourly.mean.push(rounded(sum / all.length))
    hourly.p50.push(rounded(quantile(all, 0.5)))
    hourly.p95.push(rounded(quantile(all, 0.95)))
    hourly.max.push(rounded(all.at(-1) ?? 0))
  }
  return hourly
}

/** A figure of every minute with the same of every machine beside it. */
export const addedBy: Readonly<
  Record<Column, (perRunnerSecond: number) => (run: RunSummary) => number>
> = {
  roomsAwake: () => () => 0,
  sockets: () => () => 0,
  joinsPerSecond: () => () => 0,
  startingJoinsPerSecond: () => () => 0,
  wakesPerSecond: () => () => 0,
  cpuCores: () => () => 0,
  serviceCores: () => () => 0,
  memoryBytes: () => () => 0,
  writesPerSecond: (perRunnerSecond) => (run) => perRunnerSecond * run.machines.busy,
  egressBytesPerSecond: () => () => 0
}

/** The whole period of a figure, over all minutes of all runs. */
export const peakOf = (
  runs: ReadonlyArray<RunSummary>,
  column: Column,
  added: (run: RunSummary) => number
) => {
  const count = runs.reduce((sum, { minutes }) => sum + minutes.count, 0)
  const all = new Float64Array(count)
  const most = { value: -1, minute: 0 }
  let at = 0
  for (const run of runs) {
    const more = added(run)
    for (let minute = 0; minute < run.minutes.count; minute++) {
      const value = (run.minutes.columns[column][minute] ?? 0) + more
      all[at++] = value
      if (value > most.value) Object.assign(most, { value, minute })
    }
  }
  all.sort()
  return {
    column,
    p50: rounded(quantile(all, 0.5)),
    p95: rounded(quantile(all, 0.95)),
    max: rounded(most.value),
    maxMinute: most.minute
  }
}

export const columnsOf = <Value>(value: (column: Column) => Value): Record<Column, Value> => ({
  roomsAwake: value("roomsAwake"),
  sockets: value("sockets"),
  joinsPerSecond: value("joinsPerSecond"),
  startingJoinsPerSecond: value("startingJoinsPerSecond"),
  wakesPerSecond: value("wakesPerSecond"),
  cpuCores: value("cpuCores"),
  serviceCores: value("serviceCores"),
  memoryBytes: value("memoryBytes"),
  writesPerSecond: value("writesPerSecond"),
  egressBytesPerSecond: value("egressBytesPerSecond")
})

export const peaksOf = <Value>(value: (column: Column) => Value): ReadonlyArray<Value> =>
  Columns.map(value)

import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"

import type { HogCase } from "./HogCases.ts"
import type { HogReport } from "./HogStage.ts"
import type { Lateness } from "./Neighbour.ts"

const ceilingMiB = RoomClasses.standard.memoryMiB
/** What Node has before it gets code, and what `RoomCommand` adds to the kernel's limit for threads. */
const ProcessMiB = 90
/** Twice the ceiling and the slack, above what the process itself needs. */
export const PeakMaxMiB = 2 * ceilingMiB + RoomProcessLimits.roomMemorySlack.max / MiB + ProcessMiB
/** What the system counts for the process that maps stacks, between two looks of the service. */
const MapperPeakMaxMiB = LogLimits.stackMapMemory.max / MiB + 40
/** The service holds nothing of what a hog makes. It has 170 MiB without any. */
export const ServicePeakMaxMiB = 320

/** What is wrong with how a hog was dealt with; empty = nothing. */
export const faultsOf = (hogCase: HogCase, report: HogReport): ReadonlyArray<string> => {
  const { endedAs, endedAfterMs, stored, exits } = report
  const faults: string[] = []
  const demand = (holds: boolean, what: string): void => {
    if (!holds) faults.push(`${report.name}: ${what}`)
  }
  if (hogCase.ends === null) demand(endedAs === null, `was ended: ${endedAs}`)
  else {
    demand(
      hogCase.ends.some((cause) => cause === endedAs),
      `ended as ${endedAs}`
    )
    const withinMs = `ended after ${endedAfterMs} ms, not within ${hogCase.withinMs}`
    demand(endedAfterMs !== null && endedAfterMs <= hogCase.withinMs, withinMs)
    demand(exits.after === exits.before + 1, `/metrics went from ${exits.before} to ${exits.after}`)
  }
  demand(stored.before > 0 && stored.after === stored.before, `state ${JSON.stringify(stored)}`)
  demand(stored.creations === 1, `the room was made ${stored.creations} times`)
  demand(report.peakMiB <= PeakMaxMiB, `a room process had ${report.peakMiB} MiB`)
  if (hogCase.bomb === true) demand(report.mapperPeakMiB > 0, "no process has read its map")
  demand(
    report.mapperPeakMiB <= MapperPeakMaxMiB,
    `the process that maps stacks had ${report.mapperPeakMiB} MiB`
  )
  demand(report.servicePeakMiB <= ServicePeakMaxMiB, `the service had ${report.servicePeakMiB} MiB`)
  return faults
}

/**
 * Lateness that two busy cores cause without any hog: one and a half ticks, and for the way to the
 * client, which passes two more processes, three.
 */
const NoiseMs = { lateMs: 25, arrivedLateMs: 50 }

/** The neighbour's p99 over all hogs: within twice of what it was between them, or within noise. */
export const neighbourOf = (reports: ReadonlyArray<HogReport>, what: keyof Lateness) => {
  const undisturbedMs = p99(reports.flatMap(({ undisturbed }) => undisturbed[what]))
  const disturbedMs = p99(reports.flatMap(({ disturbed }) => disturbed[what]))
  return { undisturbedMs, disturbedMs, mayBeMs: Math.max(2 * undisturbedMs, NoiseMs[what]) }
}

const p99 = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? 0

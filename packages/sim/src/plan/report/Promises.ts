import { Meters } from "@atrium/domain/meters/Caps"
import { KiB, MiB, SecondMs } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"

import { messageUs } from "../../calibration/MessageCost.ts"
import { quantile } from "../../Statistics.ts"
import { mostOf, machineNeeds } from "../Machines.ts"
import { type Planned, type RunSummary, rowOf } from "../PlanRuns.ts"
import type { Kept } from "./PlanReport.ts"

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))}%`

const span = (ms: number): string =>
  ms >= SecondMs ? `${Number((ms / SecondMs).toPrecision(3))}s` : `${Math.round(ms)}ms`

/** @param busy machines without the spare one */
export const promisesOf = (
  planned: Planned,
  { runs, busy }: { readonly runs: ReadonlyArray<RunSummary>; readonly busy: number }
): ReadonlyArray<Kept> => [
  joins(planned, runs),
  ticks(planned, { runs, busy }),
  failover(planned),
  database(planned, runs),
  roomCpu(planned),
  roomMemory(planned),
  caps(runs)
]

const ofRuns = (runs: ReadonlyArray<RunSummary>, figure: (run: RunSummary) => number): number =>
  quantile(new Float64Array(runs.map(figure)).sort(), 0.95)

const joins = ({ scenario }: Planned, runs: ReadonlyArray<RunSummary>): Kept => {
  const ms = ofRuns(runs, (run) => run.joinP99Ms)
  return {
    name: "joinP99",
    promised: span(scenario.slo.joinP99),
    planned: span(ms),
    kept: ms <= scenario.slo.joinP99,
    why: "99 of 100 joins are done within it, rooms that start included"
  }
}

/** Ticks are late in minutes in which the machines have less than the rooms need. */
const ticks = (
  planned: Planned,
  { runs, busy }: { readonly runs: ReadonlyArray<RunSummary>; readonly busy: number }
): Kept => {
  const late = ofRuns(runs, ({ minutes }) => {
    const sum = { late: 0, all: 0 }
    for (let minute = 0; minute < minutes.count; minute++) {
      const rooms = minutes.columns.roomsAwake[minute] ?? 0
      const need = mostOf(machineNeeds(planned, rowOf(minutes, minute)))
      sum.all += rooms
      if (need > busy) sum.late += rooms * (1 - busy / need)
    }
    return sum.all === 0 ? 0 : sum.late / sum.all
  })
  const { slo } = planned.scenario
  return {
    name: "tickLate",
    promised: percent(slo.tickLate),
    planned: percent(late),
    kept: late <= slo.tickLate,
    why: "part of the ticks in minutes that need more than all machines have"
  }
}

const failover = ({ scenario, calibration }: Planned): Kept => ({
  name: "failover",
  promised: span(scenario.slo.failover),
  planned: span(calibration.latency.failoverMs),
  kept: calibration.latency.failoverMs <= scenario.slo.failover,
  why: "from the end of a runner until its rooms are up on another, as calibrated"
})

const database = ({ scenario }: Planned, runs: ReadonlyArray<RunSummary>): Kept => {
  const writes = ofRuns(runs, (run) => run.writesPerSecondMost)
  const { writesPerSecond } = scenario.fleet.postgres
  return {
    name: "database",
    promised: `${writesPerSecond}/s`,
    planned: `${Number(writes.toPrecision(3))}/s`,
    kept: writes <= writesPerSecond,
    why: "writes that the database sustains, against the busiest minute"
  }
}

/** A room is one process: it cannot have more than one core. */
const roomCpu = ({ scenario, calibration }: Planned): Kept => {
  const { game } = scenario
  const { cpu, wire } = calibration
  const patchHz = game.tickHz > 0 ? game.tickHz : game.maxClients * game.up.hz
  const inUs = messageUs(cpu, game.maxClients * game.up.hz, game.up.bytes)
  const outUs =
    cpu.patchOutUs + (cpu.patchOutPerKbUs * (game.patchBytes + wire.perPatchBytes)) / KiB
  const messagesUs = game.maxClients * (game.up.hz * inUs + patchHz * outUs)
  const cores = (messagesUs * (1 - cpu.serviceShare) + game.tickHz * cpu.tickUs) / 1e6
  return {
    name: "roomCpu",
    promised: "1 core",
    planned: `${Number(cores.toPrecision(2))} cores`,
    kept: cores <= 1,
    why: "a full room is one process with one thread"
  }
}

/** A room over the ceiling of its class is started again from its last snapshot. */
const roomMemory = ({ scenario, calibration }: Planned): Kept => {
  const { memory } = calibration
  const bytes = memory.roomWithCodeBytes + memory.statePerByte * scenario.game.stateBytes
  const { memoryMiB } = RoomClasses[scenario.game.class]
  return {
    name: "roomMemory",
    promised: `${memoryMiB} MB`,
    planned: `${Math.ceil(bytes / MiB)} MB`,
    kept: bytes <= memoryMiB * MiB,
    why: `memory of a room of class ${scenario.game.class}`
  }
}

const caps = (runs: ReadonlyArray<RunSummary>): Kept => {
  const walled = Meters.filter((meter) =>
    runs.some(
      ({ meters }) => meters[meter].walledAtMs !== null || meters[meter].ceilingAtMs !== null
    )
  )
  return {
    name: "caps",
    promised: "no wall",
    planned: walled.length === 0 ? "no wall" : walled.join(", "),
    kept: walled.length === 0,
    why: "meters that reach a ceiling, or on the free plan an allowance, in any run"
  }
}

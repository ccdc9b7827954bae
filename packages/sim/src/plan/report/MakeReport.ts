import { type Meter, Meters, refusedAtWall } from "@atrium/domain/meters/Caps"
import { DayMs, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"

import type { Scenario } from "../../scenario/Scenario.ts"
import { quantile } from "../../Statistics.ts"
import { machineNeeds, mostOf, type Resource, Resources } from "../Machines.ts"
import { costOf, type PlanOutcome } from "../Plan.ts"
import { planAllowances } from "../PlanAllowances.ts"
import { periodEndMs, planPeriod } from "../PlanPeriod.ts"
import type { Planned, RunSummary } from "../PlanRuns.ts"
import { LimitNames, limitTexts, wallOf } from "../Refusals.ts"
import { addedBy, columnsOf, hourlyOf, peakOf, peaksOf } from "./HourlyFigures.ts"
import { type Cost, leftOut, type MeterReport, type PlanReport } from "./PlanReport.ts"
import { promisesOf } from "./Promises.ts"
import { isoText, momentsOf, rounded, spreadOf } from "./Spreads.ts"

/** What a report says beside what the runs came to. */
export interface Told {
  /** The scenario's name, as the caller wrote it. */
  readonly name: string
  readonly whatIf: ReadonlyArray<string>
  readonly isDefaultCalibration: boolean
}

/** The answers to the questions of a plan, from its runs. The same runs give the same report. */
export const makeReport = (planned: Planned, outcome: PlanOutcome, told: Told): PlanReport => {
  const { scenario, calibration, seed } = planned
  const { runs } = outcome
  const period = planPeriod(scenario)
  const machines = spreadOf(runs.map((run) => run.machines.all))
  const promises = promisesOf(planned, { runs, busy: machines.p95 - 1 })
  const started = runs.reduce((sum, { sessions }) => sum + sessions.started, 0)
  const added = columnsOf((column) => addedBy[column](calibration.writes.perRunnerSecond))
  const minuteText = (minute: number): string => isoText(period.startMs + minute * MinuteMs)
  return {
    version: 1,
    scenario: told.name,
    seed,
    runs: outcome.finished,
    whatIf: told.whatIf,
    period: {
      from: isoText(period.startMs),
      to: isoText(periodEndMs(period)),
      days: period.days,
      plannedDays: Math.floor(Math.min(...runs.map(({ ranMs }) => ranMs)) / DayMs)
    },
    calibration: {
      machine: calibration.machine.name,
      cores: calibration.machine.cores,
      measuredOn: calibration.machine.measuredOn,
      isDefault: told.isDefaultCalibration
    },
    fleet: { machines, ...fleetOf(planned, runs), busiestAt: minuteText(busiestOf(runs)) },
    meters: Meters.map((meter) => meterOf(meter, { runs, scenario })),
    sessions: {
      started: spreadOf(runs.map(({ sessions }) => sessions.started)),
      played: spreadOf(runs.map(({ sessions }) => sessions.played)),
      lost: spreadOf(runs.map(({ sessions }) => sessions.lost)),
      refused: spreadOf(runs.map(({ sessions }) => sessions.refused)),
      waiting: spreadOf(runs.map(({ sessions }) => sessions.waiting))
    },
    rooms: {
      started: spreadOf(runs.map(({ roomsStarted }) => roomsStarted)),
      woken: spreadOf(runs.map(({ roomsWoken }) => roomsWoken))
    },
    refusals: refusalsOf(runs, started),
    peaks: peaksOf((column) => {
      const { maxMinute, ...peak } = peakOf(runs, column, added[column])
      return { ...peak, maxAt: minuteText(maxMinute) }
    }),
    hours: {
      from: isoText(period.startMs),
      count: Math.floor(Math.min(...runs.map(({ minutes }) => minutes.count)) / 60),
      ...columnsOf((column) => hourlyOf(runs, column, added[column]))
    },
    cost: costsOf(planned, outcome),
    dependsOn: outcome.influences,
    promises,
    kept: promises.every(({ kept }) => kept),
    leftOut
  }
}

const busiestOf = (runs: ReadonlyArray<RunSummary>): number =>
  runs.toSorted((one, other) => other.need - one.need)[0]?.busiestMinute ?? 0

const fleetOf = ({ scenario }: Planned, runs: ReadonlyArray<RunSummary>) => {
  const needs = {
    cpu: spreadOf(runs.map((run) => run.needs.cpu)),
    serviceThread: spreadOf(runs.map((run) => run.needs.serviceThread)),
    memory: spreadOf(runs.map((run) => run.needs.memory))
  }
  const writesPerSecond = spreadOf(runs.map((run) => run.writesPerSecondMost))
  const sustained = scenario.fleet.postgres.writesPerSecond
  const share = sustained === 0 ? 0 : rounded(writesPerSecond.p95 / sustained)
  const [first] = Resources.toSorted((one, other) => needs[other].p95 - needs[one].p95)
  const machine: Resource = first ?? "cpu"
  return {
    busy: spreadOf(runs.map((run) => run.machines.busy)),
    needs,
    // More machines do not help a database that is full.
    binds: share > 1 ? ("database" as const) : machine,
    database: { writesPerSecond, sustained, share }
  }
}

const lags: Readonly<Record<Meter, string>> = {
  roomHours: "up to 95 s later",
  voiceMinutes: "at once",
  storageBytes: "up to 17 min later",
  dataOutBytes: "up to 5 GB later"
}

/** Which code the refused work gets, and the close code of sockets. */
const codes: Readonly<Record<Meter, string>> = {
  roomHours: "E_CAP_REACHED (402, close code 4402)",
  voiceMinutes: "E_CAP_REACHED (a voice frame)",
  storageBytes: "E_CAP_REACHED (402)",
  dataOutBytes: "sockets close with 4290, then E_CAP_REACHED (402, close code 4402)"
}

const meterOf = (
  meter: Meter,
  { runs, scenario }: { readonly runs: ReadonlyArray<RunSummary>; readonly scenario: Scenario }
): MeterReport => {
  const of = runs.map(({ meters }) => meters[meter])
  const ceiling = scenario.plan.caps[meter] ?? null
  const hasWall = ceiling !== null || scenario.plan.tier === "free"
  return {
    meter,
    used: spreadOf(of.map(({ most }) => most)),
    allowance: planAllowances(scenario)[meter],
    ceiling,
    warnedAt: momentsOf(of.map(({ warnedAtMs }) => warnedAtMs)),
    allowanceAt: momentsOf(of.map(({ allowanceAtMs }) => allowanceAtMs)),
    ceilingAt: momentsOf(of.map(({ ceilingAtMs }) => ceilingAtMs)),
    walledAt: momentsOf(of.map(({ walledAtMs }) => walledAtMs)),
    lag: lags[meter],
    refuses: hasWall ? refusedAtWall[meter] : [],
    code: codes[meter],
    refusedPlayers: spreadOf(
      runs.map(({ refusals }) =>
        meter === "voiceMinutes" ? refusals.voiceWall.attempts : refusals[wallOf[meter]].players
      )
    )
  }
}

const refusalsOf = (runs: ReadonlyArray<RunSummary>, started: number): PlanReport["refusals"] =>
  LimitNames.flatMap((limit) => {
    const of = runs.map(({ refusals }) => refusals[limit])
    if (of.every(({ attempts }) => attempts === 0)) return []
    const players = of.reduce((sum, each) => sum + each.players, 0)
    return [
      {
        limit,
        ...limitTexts[limit],
        attempts: spreadOf(of.map(({ attempts }) => attempts)),
        players: spreadOf(of.map((each) => each.players)),
        share: started === 0 ? 0 : rounded(players / started)
      }
    ]
  })

const costsOf = (planned: Planned, outcome: PlanOutcome): PlanReport["cost"] => {
  const { scenario } = planned
  const { runs, uncapped, calm } = outcome
  const sorted = runs
    .map((run) => costOf(run, scenario))
    .toSorted((one, other) => one.total - other.total)
  const at = (part: number) => {
    const total = quantile(new Float64Array(sorted.map((each) => each.total)), part)
    return sorted.find((each) => each.total === total) ?? costOf(firstOf(runs), scenario)
  }
  const side = (loop: RunSummary, without: RunSummary) => ({
    roomHours: rounded(loop.runawayHours),
    worth: rounded(Math.round(loop.runawayHours * pricePerRoomHour(planned) * 100) / 100),
    cost: rounded(
      Math.round((costOf(loop, scenario).total - costOf(without, scenario).total) * 100) / 100
    )
  })
  const [first] = runs
  const withCaps = { p5: at(0.05), p50: at(0.5), p95: at(0.95) }
  return {
    withCaps,
    withoutCaps:
      uncapped === null || first === undefined
        ? null
        : raised(withCaps.p95, { from: costOf(first, scenario), to: costOf(uncapped, scenario) }),
    runaway:
      calm === null || uncapped === null || first === undefined
        ? null
        : { withCaps: side(first, calm.capped), withoutCaps: side(uncapped, calm.uncapped) }
  }
}

/** A cost that is as much more as one of the same run is than another. */
const raised = (cost: Cost, by: { readonly from: Cost; readonly to: Cost }): Cost => {
  const of = (name: keyof Cost): number =>
    Math.round((cost[name] + by.to[name] - by.from[name]) * 100) / 100
  return {
    machines: of("machines"),
    runners: of("runners"),
    postgres: of("postgres"),
    egress: of("egress"),
    total: of("total")
  }
}

/** Of a room without players, which sleeps and wakes again and again. */
const pricePerRoomHour = (planned: Planned): number => {
  const { scenario, calibration } = planned
  const { game, fleet } = scenario
  const { cpu, memory } = calibration
  const cyclesPerSecond = SecondMs / Math.max(SecondMs, game.hibernateAfter)
  const cpuCores =
    (game.tickHz * cpu.tickUs) / 1e6 + (cyclesPerSecond * (cpu.wakeMs + cpu.snapshotMs)) / SecondMs
  const memoryBytes = memory.roomWithCodeBytes + memory.statePerByte * game.stateBytes
  const need = mostOf(machineNeeds(planned, { cpuCores, serviceCores: 0, memoryBytes }))
  return (need * fleet.runner.perMonth) / (planPeriod(scenario).days * 24)
}

const firstOf = (runs: ReadonlyArray<RunSummary>): RunSummary => {
  const [first] = runs
  if (first === undefined) throw new Error("a report has at least one run")
  return first
}

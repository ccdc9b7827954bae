import { Meters } from "@atrium/domain/meters/Caps"
import { Schema } from "effect"

import { Columns } from "../engine/Minutes.ts"
import { Resources } from "../Machines.ts"
import { LimitNames } from "../Refusals.ts"

/** A figure over all runs: of 20 runs one is below `p5`, ten are below `p50`, one is above `p95`. */
const Spread = Schema.Struct({ p5: Schema.Finite, p50: Schema.Finite, p95: Schema.Finite })
export type Spread = typeof Spread.Type

/** When something comes, ISO 8601 in UTC, over the runs in which it comes; `null` = it comes in none. */
const Moments = Schema.NullOr(
  Schema.Struct({
    earliest: Schema.String,
    median: Schema.String,
    latest: Schema.String,
    /** Part of the runs in which it comes. */
    inRuns: Schema.Finite
  })
)
export type Moments = typeof Moments.Type

const MeterReport = Schema.Struct({
  meter: Schema.Literals(Meters),
  /** In hours, minutes or bytes; of stored bytes the most. */
  used: Spread,
  allowance: Schema.Finite,
  ceiling: Schema.NullOr(Schema.Finite),
  warnedAt: Moments,
  allowanceAt: Moments,
  ceilingAt: Moments,
  /** From when on work is refused at the latest: with the lag that the specification allows. */
  walledAt: Moments,
  lag: Schema.String,
  /** What the wall refuses, and with which code; empty = the meter has no wall in this plan. */
  refuses: Schema.Array(Schema.String),
  code: Schema.String,
  /** Players who never got in because of the wall; of the wall of voice those who did not get to talk. */
  refusedPlayers: Spread
})
export type MeterReport = typeof MeterReport.Type

const figures = Schema.Array(Schema.Finite)
const Hourly = Schema.Struct({
  mean: figures,
  p50: figures,
  p95: figures,
  max: figures
})
export type Hourly = typeof Hourly.Type

const Peak = Schema.Struct({
  column: Schema.Literals(Columns),
  p50: Schema.Finite,
  p95: Schema.Finite,
  max: Schema.Finite,
  maxAt: Schema.String
})

const Cost = Schema.Struct({
  machines: Schema.Finite,
  runners: Schema.Finite,
  postgres: Schema.Finite,
  egress: Schema.Finite,
  total: Schema.Finite
})
export type Cost = typeof Cost.Type

const RunawaySide = Schema.Struct({
  /** Room hours of the rooms that the fault keeps up. */
  roomHours: Schema.Finite,
  /** Part of a machine that they fill for as long, at its price. */
  worth: Schema.Finite,
  /** What the month costs more because of them: whole machines, and what leaves. */
  cost: Schema.Finite
})

const Promise_ = Schema.Struct({
  name: Schema.Literals([
    "joinP99",
    "tickLate",
    "failover",
    "database",
    "roomCpu",
    "roomMemory",
    "caps"
  ]),
  promised: Schema.String,
  planned: Schema.String,
  kept: Schema.Boolean,
  why: Schema.String
})
export type Kept = typeof Promise_.Type

const Influence = Schema.Struct({
  /** Its path in the scenario. */
  parameter: Schema.String,
  /** Change of the machines, in parts of a machine, and of the cost, when it is 10 % less and 10 % more: 0.1 = 10 %. */
  machinesAtLess: Schema.Finite,
  machinesAtMore: Schema.Finite,
  costAtLess: Schema.Finite,
  costAtMore: Schema.Finite
})
export type Influence = typeof Influence.Type

/** What `atrium sim plan --json` prints. Money has the currency of the scenario. */
export const PlanReport = Schema.Struct({
  version: Schema.Literal(1),
  scenario: Schema.String,
  seed: Schema.Int,
  /** Runs that were finished; 0 = the first one was stopped on its way. */
  runs: Schema.Int,
  whatIf: Schema.Array(Schema.String),
  period: Schema.Struct({
    from: Schema.String,
    to: Schema.String,
    days: Schema.Int,
    /** Days that the report is about: fewer when the plan was stopped in its first run. */
    plannedDays: Schema.Int
  }),
  calibration: Schema.Struct({
    machine: Schema.String,
    cores: Schema.Finite,
    measuredOn: Schema.String,
    isDefault: Schema.Boolean
  }),
  fleet: Schema.Struct({
    /** What is to be rented: `busy` and one spare. */
    machines: Spread,
    busy: Spread,
    /** Machines in parts that the busiest minute needs of each resource, headroom included. */
    needs: Schema.Struct({ cpu: Spread, serviceThread: Spread, memory: Spread }),
    binds: Schema.Literals([...Resources, "database"]),
    busiestAt: Schema.String,
    database: Schema.Struct({
      writesPerSecond: Spread,
      sustained: Schema.Finite,
      share: Schema.Finite
    })
  }),
  meters: Schema.Array(MeterReport),
  sessions: Schema.Struct({
    started: Spread,
    played: Spread,
    lost: Spread,
    refused: Spread,
    waiting: Spread
  }),
  rooms: Schema.Struct({ started: Spread, woken: Spread }),
  refusals: Schema.Array(
    Schema.Struct({
      limit: Schema.Literals(LimitNames),
      code: Schema.String,
      says: Schema.String,
      attempts: Spread,
      players: Spread,
      /** Part of all sessions. */
      share: Schema.Finite
    })
  ),
  peaks: Schema.Array(Peak),
  hours: Schema.Struct({
    from: Schema.String,
    count: Schema.Int,
    roomsAwake: Hourly,
    sockets: Hourly,
    joinsPerSecond: Hourly,
    startingJoinsPerSecond: Hourly,
    wakesPerSecond: Hourly,
    cpuCores: Hourly,
    serviceCores: Hourly,
    memoryBytes: Hourly,
    writesPerSecond: Hourly,
    egressBytesPerSecond: Hourly
  }),
  cost: Schema.Struct({
    withCaps: Schema.Struct({ p5: Cost, p50: Cost, p95: Cost }),
    /** `withCaps.p95`, and as much more as the first run costs without caps; `null` = it was stopped before. */
    withoutCaps: Schema.NullOr(Cost),
    runaway: Schema.NullOr(Schema.Struct({ withCaps: RunawaySide, withoutCaps: RunawaySide }))
  }),
  dependsOn: Schema.Array(Influence),
  promises: Schema.Array(Promise_),
  kept: Schema.Boolean,
  leftOut: Schema.Array(Schema.String)
})
export type PlanReport = typeof PlanReport.Type

/** What no plan knows: every report says it. */
export const leftOut: ReadonlyArray<string> = [
  "Peaks shorter than a minute: all figures are means of a minute.",
  "Single messages, patches, ticks, snapshots and durable calls: they are speeds that follow from the players of each room. Joins, rooms, calls, drops and retries are single events.",
  "Parties: everybody comes alone, and those who come back to a room do not agree on when.",
  "Sessions that are under way when the period begins.",
  "Machines, CPU and traffic of the media of voice: only its minutes are counted.",
  "Sites, KV, boards, recordings and bundles in stored bytes and data out.",
  "Relay rooms: every room is one with code.",
  "How rooms spread over machines: machines are counted as if they filled evenly.",
  "A match is made of those who come first, without skill, and its room is not filled again.",
  "Summer time."
]

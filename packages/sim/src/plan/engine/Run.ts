import { type Meter, Meters } from "@atrium/domain/meters/Caps"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { HourMs, MinuteMs } from "@atrium/wire/limits/Limit"

import { machineNeeds, machinesOf, mostOf } from "../Machines.ts"
import { momentMs, periodEndMs } from "../PlanPeriod.ts"
import type { Refusals } from "../Refusals.ts"
import { Arrivals } from "./Arrivals.ts"
import { Ground, Kinds, type RunInput, type SessionCounts } from "./Ground.ts"
import { Joins } from "./Joins.ts"
import { type MeterMoments, meterUnit } from "./MeterWalls.ts"
import { Minutes } from "./Minutes.ts"
import { Outages } from "./Outages.ts"
import { Runaway } from "./Runaway.ts"

export interface MeterRun extends MeterMoments {
  /** In its own unit; of stored bytes what is stored at the end. */
  readonly used: number
  /** The most that it was. */
  readonly most: number
}

/** What a run came to. */
export interface RunResult {
  readonly minutes: Minutes
  readonly meters: Readonly<Record<Meter, MeterRun>>
  readonly refusals: Refusals
  /** `waiting` = those who are neither in nor refused when the run ends. */
  readonly sessions: Readonly<SessionCounts> & { readonly waiting: number }
  readonly roomsStarted: number
  readonly roomsWoken: number
  /** Of rooms that a fault kept up. */
  readonly runawayHours: number
}

/** Meters that grow while time passes. */
const growing: ReadonlyArray<Meter> = ["roomHours", "voiceMinutes", "dataOutBytes"]

/** One run of a scenario: a month in virtual time, which goes on as far as it is told. */
export class Run {
  readonly #ground: Ground
  readonly #arrivals: Arrivals
  readonly #joins: Joins
  readonly #outages: Outages
  readonly #runaways: Array<Runaway> = []
  readonly #minutes: Minutes
  #minuteEndMs: number
  #mostStored = 0
  /** Machines, in parts, that the busiest minute so far needed. */
  #mostNeed = 0

  constructor(input: RunInput) {
    const { period, scenario } = input
    this.#ground = new Ground(input)
    this.#arrivals = new Arrivals(input)
    this.#joins = new Joins(this.#ground)
    this.#outages = new Outages(this.#ground)
    this.#minutes = new Minutes(period.days)
    this.#minuteEndMs = this.#ground.nowMs + MinuteMs
    scenario.events.forEach((event, at) => {
      // A crowd is part of the arrivals.
      if (event.kind === "flashCrowd") return
      const atMs = momentMs(period, event.at)
      if (atMs < this.#ground.nowMs) return
      this.#ground.heap.push({ atMs, kind: Kinds.scheduled, subject: at })
    })
  }

  /** Lets time pass for so long from the beginning of the period. */
  through(forMs: number): void {
    const { period } = this.#ground.input
    const endMs = Math.min(period.startMs + forMs, periodEndMs(period))
    while (this.#ground.nowMs < endMs) {
      const arrivesMs = this.#arrivals.nextAtMs
      const happensMs = this.#ground.heap.nextAtMs
      const nextMs = Math.min(arrivesMs, happensMs, this.#minuteEndMs)
      this.#advance(nextMs)
      if (nextMs === this.#minuteEndMs) this.#closeMinute()
      else if (nextMs === happensMs) this.#happen()
      else this.#joins.arrive(this.#arrivals.take())
    }
  }

  result(): RunResult {
    const { walls, usage, counts, refusals, roomsStarted, roomsWoken } = this.#ground
    const meter = (name: Meter): MeterRun => {
      const used = this.#used(name) / meterUnit[name]
      const most = name === "storageBytes" ? this.#mostStored : used
      return { ...walls.momentsOf(name), used, most }
    }
    const { started, played, lost, refused } = counts
    return {
      minutes: this.#minutes,
      meters: {
        roomHours: meter("roomHours"),
        voiceMinutes: meter("voiceMinutes"),
        storageBytes: meter("storageBytes"),
        dataOutBytes: meter("dataOutBytes")
      },
      refusals,
      sessions: { ...counts, waiting: started - played - lost - refused },
      roomsStarted,
      roomsWoken,
      runawayHours: usage.runawayMs / HourMs
    }
  }

  #used(meter: Meter): number {
    const { usage } = this.#ground
    switch (meter) {
      case "roomHours":
        return usage.roomMs
      case "voiceMinutes":
        return usage.voiceMs
      case "storageBytes":
        return usage.storedBytes
      case "dataOutBytes":
        return usage.dataOutBytes
    }
  }

  #perMs(meter: Meter): number {
    const { usage } = this.#ground
    switch (meter) {
      case "roomHours":
        return usage.roomsAwake
      case "voiceMinutes":
        return usage.talking
      case "storageBytes":
        return 0
      case "dataOutBytes":
        return usage.dataOutPerMs
    }
  }

  #advance(toMs: number): void {
    const ground = this.#ground
    const forMs = toMs - ground.nowMs
    ground.nowMs = toMs
    if (forMs > 0) ground.usage.advance(forMs)
    for (const meter of growing) {
      if (ground.walls.reaches(meter, this.#used(meter) / meterUnit[meter])) this.#reached(meter)
    }
  }

  #reached(meter: Meter): void {
    const { walls, nowMs } = this.#ground
    const unit = meterUnit[meter]
    const flow = { used: this.#used(meter) / unit, perMs: this.#perMs(meter) / unit }
    const wallMs = walls.reached(meter, flow, nowMs)
    if (wallMs === null) return
    const atMs = Math.max(wallMs, nowMs)
    this.#ground.heap.push({ atMs, kind: Kinds.wall, subject: Meters.indexOf(meter) })
  }

  #closeMinute(): void {
    const { usage, walls, stored, rooms, nowMs, input } = this.#ground
    const minute = usage.minute()
    this.#minutes.close(minute)
    this.#mostNeed = Math.max(this.#mostNeed, mostOf(machineNeeds(input, minute)))
    this.#mostStored = Math.max(this.#mostStored, usage.storedBytes)
    walls.storageMinute(usage.storedBytes, nowMs)
    if (walls.reaches("storageBytes", usage.storedBytes)) this.#reached("storageBytes")
    if (nowMs % RoomLimits.sweepEvery.ms === 0) {
      stored.sweep(nowMs, {
        usage,
        mayRemove: (at, isDue) => {
          const room = rooms.at(at)
          if (room.forgotten || room.awaited > 0 || rooms.isAwake(at) || !isDue(room)) return
          usage.storedBytes -= room.storedBytes
          rooms.remove(at)
        }
      })
    }
    this.#minuteEndMs += MinuteMs
  }

  #happen(): void {
    const { heap, sessions } = this.#ground
    const { kind, subject } = heap.pop()
    switch (kind) {
      case Kinds.empty:
        return this.#outages.sleepIfEmpty(subject)
      case Kinds.scheduled:
        return this.#scheduled(subject)
      case Kinds.wall:
        return this.#wall(Meters[subject] ?? "roomHours")
      case Kinds.runaway:
        return this.#ground.after(this.#runaways[subject]?.ring() ?? 0, Kinds.runaway, subject)
      default:
    }
    sessions.at(subject).pending -= 1
    if (kind === Kinds.leave) this.#outages.leave(subject)
    else if (kind === Kinds.callEnd) this.#outages.hangUp(subject)
    else if (kind === Kinds.attempt) this.#joins.attempt(subject)
    else if (kind === Kinds.noMatch) this.#joins.noMatch(subject)
    sessions.release(subject)
  }

  #scheduled(at: number): void {
    const event = this.#ground.scenario.events[at]
    switch (event?.kind) {
      case "deploy":
        return this.#outages.deploy()
      case "killRunner":
        return this.#outages.killRunner(machinesOf(this.#mostNeed).busy)
      case "runawayLoop": {
        const runaway = this.#runaways.push(new Runaway(this.#ground, event.rooms)) - 1
        return this.#ground.after(0, Kinds.runaway, runaway)
      }
      case "flashCrowd":
      case undefined:
    }
  }

  #wall(meter: Meter): void {
    const { walls, nowMs } = this.#ground
    walls.raise(meter, nowMs)
    if (meter !== "dataOutBytes") return
    this.#outages.dataOutWall()
    for (const runaway of this.#runaways) runaway.stop()
  }
}

import {
  type Allowances,
  type CapWall,
  eachMeter,
  type Meter,
  Meters,
  type Standing,
  standingOf,
  WakeMeters,
  wallOf
} from "@atrium/domain/meters/Caps"
import { HourMs, MinuteMs } from "@atrium/wire/limits/Limit"

import type { Scenario } from "../../scenario/Scenario.ts"
import { planAllowances } from "../PlanAllowances.ts"
import { PlanLimits } from "../PlanLimits.ts"
import { periodEndMs, planPeriod } from "../PlanPeriod.ts"

/** When a meter passed its marks, Unix milliseconds; `null` = it did not. */
export interface MeterMoments {
  /** `plan.alertAt` of the nearest cap. */
  readonly warnedAtMs: number | null
  readonly allowanceAtMs: number | null
  readonly ceilingAtMs: number | null
  /** From when on work is refused at the latest, with the lag of the specification. */
  readonly walledAtMs: number | null
}

/** The value of a meter and the speed at which it grows in a millisecond, in its own unit. */
export interface Flow {
  readonly used: number
  readonly perMs: number
}

type Marks = { -readonly [Key in keyof MeterMoments]: MeterMoments[Key] }
const noMarks = (): Marks => ({
  warnedAtMs: null,
  allowanceAtMs: null,
  ceilingAtMs: null,
  walledAtMs: null
})

const storageLagMinutes = PlanLimits.storageLag.ms / MinuteMs

/**
 * The four meters against their caps. `standingOf` of the service says whether a value is a wall; the wall
 * stands after the longest lag that the specification allows, so a plan never promises more than it.
 */
export class MeterWalls {
  readonly #tier: Scenario["plan"]["tier"]
  readonly #allowances: Allowances
  readonly #ceilings: Record<Meter, number | null>
  /** Of the billing period, Unix milliseconds. */
  readonly #endMs: number
  readonly #alerts: Record<Meter, number>
  readonly #marks: Record<Meter, Marks> = {
    roomHours: noMarks(),
    voiceMinutes: noMarks(),
    storageBytes: noMarks(),
    dataOutBytes: noMarks()
  }
  readonly #standing: Record<Meter, Standing> = eachMeter<Standing>("ok")
  /** Next value of a meter at which something happens. */
  readonly #next: Record<Meter, number> = eachMeter(Number.POSITIVE_INFINITY)
  readonly #storage: Array<number> = []

  constructor(scenario: Scenario) {
    const { caps, tier, alertAt } = scenario.plan
    this.#tier = tier
    this.#allowances = planAllowances(scenario)
    this.#endMs = periodEndMs(planPeriod(scenario))
    this.#ceilings = {
      roomHours: caps.roomHours ?? null,
      voiceMinutes: caps.voiceMinutes ?? null,
      storageBytes: caps.storageBytes ?? null,
      dataOutBytes: caps.dataOutBytes ?? null
    }
    this.#alerts = eachMeter(0)
    for (const meter of Meters) {
      this.#alerts[meter] = alertAt * (this.#ceilings[meter] ?? this.#allowances[meter])
      this.#arm(meter, -1)
    }
  }

  ceilingOf(meter: Meter): number | null {
    return this.#ceilings[meter]
  }

  momentsOf(meter: Meter): MeterMoments {
    return this.#marks[meter]
  }

  standing(meter: Meter): Standing {
    return this.#standing[meter]
  }

  /** The wall that keeps rooms from starting; `null` = none does. */
  atWake(): CapWall | null {
    const meter = WakeMeters.find((each) => this.#standing[each] === "walled")
    return meter === undefined ? null : { meter, cap: this.#capOf(meter), endMs: this.#endMs }
  }

  /** Whether a meter has reached a mark. It is asked at every event, so it only compares. */
  reaches(meter: Meter, used: number): boolean {
    return used >= this.#next[meter]
  }

  /**
   * Notes the marks that a meter has reached, each at the moment at which it did.
   *
   * @returns when the wall stands; `null` = no wall comes of it
   */
  reached(meter: Meter, { used, perMs }: Flow, nowMs: number): number | null {
    const marks = this.#marks[meter]
    const at = (mark: number): number => (perMs > 0 ? nowMs - (used - mark) / perMs : nowMs)
    const ceiling = this.#ceilings[meter]
    const allowance = this.#allowances[meter]
    if (used >= this.#alerts[meter]) marks.warnedAtMs ??= at(this.#alerts[meter])
    if (used >= allowance) marks.allowanceAtMs ??= at(allowance)
    if (ceiling !== null && used >= ceiling) marks.ceilingAtMs ??= at(ceiling)
    this.#arm(meter, used)
    if (this.#wallMark(meter) > used || marks.walledAtMs !== null) return null
    if (meter === "storageBytes") return null
    return meter === "roomHours" ? at(this.#wallMark(meter)) + PlanLimits.roomHoursLag.ms : nowMs
  }

  /** The wall of a meter stands now. */
  raise(meter: Meter, nowMs: number): void {
    this.#standing[meter] = "walled"
    this.#marks[meter].walledAtMs ??= nowMs
  }

  /** Stored bytes fall as well as rise: every minute the wall is that of 17 minutes ago. */
  storageMinute(bytes: number, nowMs: number): void {
    this.#storage.push(bytes)
    if (this.#storage.length <= storageLagMinutes) return
    const used = this.#storage.shift() ?? 0
    const standing = this.#standingAt("storageBytes", used)
    if (standing === "walled") this.raise("storageBytes", nowMs)
    else this.#standing.storageBytes = standing
  }

  #standingAt(meter: Meter, used: number): Standing {
    return standingOf(this.#useOf(meter, used))
  }

  #useOf(meter: Meter, used: number) {
    const [ceiling, allowance] = [this.#ceilings[meter], this.#allowances[meter]]
    return { tier: this.#tier, used, allowance, ceiling }
  }

  /** The least value at which a meter is a wall; `Infinity` = it is none. */
  #capOf(meter: Meter): number {
    const all = this.#useOf(meter, Number.POSITIVE_INFINITY)
    return wallOf(all) ?? Number.POSITIVE_INFINITY
  }

  /** The same, with what passes before anybody knows. */
  #wallMark(meter: Meter): number {
    const cap = this.#capOf(meter)
    return meter === "dataOutBytes" ? cap + PlanLimits.dataOutOvershoot.max : cap
  }

  #arm(meter: Meter, used: number): void {
    const marks = [
      this.#alerts[meter],
      this.#allowances[meter],
      this.#ceilings[meter] ?? Number.POSITIVE_INFINITY,
      this.#wallMark(meter)
    ]
    this.#next[meter] = Math.min(...marks.filter((mark) => mark > used), Number.POSITIVE_INFINITY)
  }
}

/** A meter's unit in milliseconds or bytes: what the engine counts. */
export const meterUnit: Record<Meter, number> = {
  roomHours: HourMs,
  voiceMinutes: MinuteMs,
  storageBytes: 1,
  dataOutBytes: 1
}

import { DayMs, HourMs, MinuteMs } from "@atrium/wire/limits/Limit"

import { RegionOffsetHours } from "../../scenario/Regions.ts"
import type { Scenario } from "../../scenario/Scenario.ts"
import { momentMs, periodEndMs, type PlanPeriod, weekdayOf } from "../PlanPeriod.ts"
import { Chance } from "./Chance.ts"
import type { RunInput } from "./Ground.ts"

/** How many players come in a millisecond, minute by minute of the period. */
export const arrivalRates = (scenario: Scenario, period: PlanPeriod): Float64Array => {
  const rates = new Float64Array((period.days * DayMs) / MinuteMs)
  const { daily, regions, weekend } = scenario.players
  const wave = waveOf(scenario)
  const offsets: Readonly<Record<string, number>> = RegionOffsetHours
  for (const [name, share = 0] of Object.entries(regions)) {
    const offsetMs = (offsets[name] ?? 0) * HourMs
    for (let minute = 0; minute < rates.length; minute++) {
      const localMs = period.startMs + minute * MinuteMs + offsetMs
      const isWeekend = weekdayOf(localMs) % 6 === 0
      const perDay = daily * share * (isWeekend ? weekend : 1)
      rates[minute] = (rates[minute] ?? 0) + (perDay / DayMs) * wave((localMs % DayMs) / MinuteMs)
    }
  }
  addCrowds(rates, scenario, period)
  return rates
}

/** Players at a minute of the local day, as a part of the day's mean. */
const waveOf = ({ players }: Scenario): ((minuteOfDay: number) => number) => {
  const { shape, peak, trough } = players
  if (shape === "flat") return () => 1
  const mean = (1 + trough) / 2
  return (minuteOfDay) => {
    const angle = ((minuteOfDay - peak) / (DayMs / MinuteMs)) * 2 * Math.PI
    return (trough + ((1 - trough) * (1 + Math.cos(angle))) / 2) / mean
  }
}

/** A crowd comes evenly over its span; what is past the period's end does not come. */
const addCrowds = (rates: Float64Array, scenario: Scenario, period: PlanPeriod): void => {
  for (const event of scenario.events) {
    if (event.kind !== "flashCrowd") continue
    const fromMs = momentMs(period, event.at)
    const spanMs = Math.max(event.over, MinuteMs)
    const toMs = Math.min(fromMs + spanMs, periodEndMs(period))
    for (let atMs = fromMs; atMs < toMs; atMs += MinuteMs) {
      const minute = Math.floor((atMs - period.startMs) / MinuteMs)
      const part = Math.min(MinuteMs, toMs - atMs) / MinuteMs
      rates[minute] = (rates[minute] ?? 0) + (event.players / spanMs) * part
    }
  }
}

/** One who comes: what is drawn for a session, before anything is known of the service. */
export interface Arrival {
  readonly atMs: number
  readonly lengthMs: number
  /** The shared address that the player has; -1 = one of his own. */
  readonly address: number
  /** The persistent room that the player wants; -1 = any room. */
  readonly persistentRoom: number
  readonly talks: boolean
}

/** Who comes and when: a Poisson stream whose rate changes by the minute. Independent of the service. */
export class Arrivals {
  readonly #rates: Float64Array
  readonly #startMs: number
  readonly #endMs: number
  readonly #chance: Chance
  readonly #scenario: Scenario
  readonly #addresses: number
  readonly #persistentRooms: number
  #atMs: number

  constructor({ scenario, period, seed, skippedMs }: RunInput) {
    const { players, session, game } = scenario
    this.#rates = arrivalRates(scenario, period)
    this.#startMs = period.startMs
    this.#endMs = periodEndMs(period)
    this.#chance = new Chance(`${seed}/arrivals`)
    this.#scenario = scenario
    this.#addresses = Math.max(
      1,
      Math.round((players.daily * players.shared.share) / players.shared.players)
    )
    // As many as the players of a day who come back fill once.
    this.#persistentRooms = Math.max(
      1,
      Math.ceil((players.daily * session.persistentRooms) / game.maxClients)
    )
    this.#atMs = period.startMs + skippedMs
    this.#draw()
  }

  /** When the next one comes; `Infinity` = nobody comes any more. */
  get nextAtMs(): number {
    return this.#atMs
  }

  /** Takes the next one. Every draw is made for everybody, so that no choice moves those that follow. */
  take(): Arrival {
    const chance = this.#chance
    const { game, session, players } = this.#scenario
    const shares = chance.share() < players.shared.share
    const address = chance.below(this.#addresses)
    const persists = chance.share() < session.persistentRooms
    const persistentRoom = chance.below(this.#persistentRooms)
    const talks = chance.share() < game.voice.share
    const arrival: Arrival = {
      atMs: this.#atMs,
      lengthMs: this.#lengthMs(),
      address: shares ? address : -1,
      persistentRoom: persists ? persistentRoom : -1,
      talks
    }
    this.#draw()
    return arrival
  }

  #lengthMs(): number {
    const { minutes } = this.#scenario.session
    if (typeof minutes === "number") return minutes * MinuteMs
    const [median, sigma] = minutes.lognormal
    return Math.min(DayMs, median * MinuteMs * Math.exp(sigma * this.#chance.normal()))
  }

  /** The gap in a minute is exponential; past its end the next minute's rate decides anew. */
  #draw(): void {
    let atMs = this.#atMs
    for (;;) {
      const minute = Math.floor((atMs - this.#startMs) / MinuteMs)
      if (minute >= this.#rates.length) break
      const rate = this.#rates[minute] ?? 0
      const minuteEndMs = this.#startMs + (minute + 1) * MinuteMs
      const nextMs = rate > 0 ? atMs + this.#chance.gap() / rate : Number.POSITIVE_INFINITY
      if (nextMs < minuteEndMs) {
        this.#atMs = nextMs
        return
      }
      atMs = minuteEndMs
    }
    this.#atMs = atMs >= this.#endMs ? Number.POSITIVE_INFINITY : atMs
  }
}

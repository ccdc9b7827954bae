import { PredictionLimits } from "@atrium/wire/physics/PredictionLimits"

/** The number and the length of the spans of time whose quickest state is remembered. */
const Spans = 8
const SpanMs = 500

/** The round trip that the clock assumes until it has measured one. */
const FirstTripMs = 100

/** A lead that changes by less stays: each change is a step more or less. */
const LeadStep = 2

/**
 * Knows which tick the room is at, from when states come, and how far ahead the client must be for its inputs to come in
 * time. Times are of one clock in milliseconds.
 */
export class ServerClock {
  readonly #ticksPerMs: number
  /** By span of time: the most that a tick was ahead of the time of its arrival. */
  readonly #quickest: Array<{ readonly span: number; ahead: number }> = []
  readonly #trips: Array<number> = []
  #lead: number

  constructor(tickHz: number) {
    this.#ticksPerMs = tickHz / 1000
    this.#lead = this.#leadOf(FirstTripMs)
  }

  /** A state came. */
  arrived(tick: number, nowMs: number): void {
    const span = Math.floor(nowMs / SpanMs)
    const ahead = tick - nowMs * this.#ticksPerMs
    const last = this.#quickest.at(-1)
    if (last?.span === span) last.ahead = Math.max(last.ahead, ahead)
    else this.#quickest.push({ span, ahead })
    while ((this.#quickest[0]?.span ?? span) <= span - Spans) this.#quickest.shift()
  }

  /** A frame went to the service and back. */
  roundTrip(ms: number): void {
    this.#trips.push(ms)
    if (this.#trips.length > PredictionLimits.predictedTrips.max) this.#trips.shift()
    const sorted = this.#trips.toSorted((a, b) => a - b)
    // The median trip is as long as the quickest way down and the slowest way up together, where both vary alike.
    const lead = this.#leadOf(sorted[sorted.length >> 1] ?? FirstTripMs)
    const isFirst = this.#trips.length === 1
    if (isFirst || Math.abs(lead - this.#lead) >= LeadStep) this.#lead = lead
  }

  /** Ticks between the room's state that comes and the tick at which an input of now gets there. */
  get leadTicks(): number {
    return this.#lead
  }

  /** The tick whose state comes now if it is quick; not whole. */
  arrivingTick(nowMs: number): number {
    const ahead = Math.max(...this.#quickest.map((each) => each.ahead))
    return nowMs * this.#ticksPerMs + ahead
  }

  /** The room was started anew: its ticks are others. */
  reset(): void {
    this.#quickest.length = 0
  }

  #leadOf(tripMs: number): number {
    // An input waits for the next tick.
    return Math.ceil(tripMs * this.#ticksPerMs) + 1
  }
}

import { Durations, type DurationSummary } from "./Durations.ts"
import type { Measured } from "./Thresholds.ts"

/** Spans of one part of a run. */
class LoadSpans {
  readonly joinMs = new Durations()
  readonly patchMs = new Durations()
  readonly pingMs = new Durations()
}

/** How often each thing happened, by its name. */
class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, each) => sum + each, 0)
  }

  /** The most frequent first. */
  get byName(): Readonly<Record<string, number>> {
    const sorted = [...this.#counts].toSorted(
      ([a, more], [b, less]) => less - more || (a < b ? -1 : 1)
    )
    return Object.fromEntries(sorted)
  }
}

/** What players of a run have seen so far. Bytes are payload of WebSocket messages. */
export class LoadFigures {
  readonly #all = new LoadSpans()
  #window = new LoadSpans()
  /** Joins that were begun. */
  started = 0
  joined = 0
  rejoined = 0
  /** Players whose connection was lost, and who did not come back. */
  lost = 0
  messages = 0
  /** Messages that left later than a whole period after their turn. */
  lateMessages = 0
  /** The rooms run no code. */
  relay = false
  patches = 0
  /** Messages of other players, in relay rooms. */
  deliveries = 0
  bytesIn = 0
  bytesOut = 0
  playersMost = 0
  roomsMost = 0
  readonly refused = new Tally()
  readonly dropped = new Tally()
  /** Refusals of what players sent: their connections stayed. */
  readonly errors = new Tally()

  add(metric: keyof LoadSpans, ms: number): void {
    this.#all[metric].add(ms)
    this.#window[metric].add(ms)
  }

  /** The spans since the last call. */
  takeWindow(): Spans {
    const taken = this.#window
    this.#window = new LoadSpans()
    return spansOf(taken)
  }

  get spans(): Spans {
    return spansOf(this.#all)
  }

  /** For thresholds. */
  get measured(): Measured {
    const { joinMs, patchMs, pingMs } = this.#all
    return {
      joinMs,
      patchMs,
      pingMs,
      refused: { count: this.refused.total, of: this.started },
      dropped: { count: this.dropped.total, of: this.joined }
    }
  }
}

export interface Spans {
  readonly joinMs: DurationSummary | null
  readonly patchMs: DurationSummary | null
  readonly pingMs: DurationSummary | null
}

const spansOf = ({ joinMs, patchMs, pingMs }: LoadSpans): Spans => ({
  joinMs: joinMs.summary(),
  patchMs: patchMs.summary(),
  pingMs: pingMs.summary()
})

import { RelayLimits } from "@atrium/domain/relay/RelayLimits"

import type { RelayRecord, RelayTable } from "./RelayTablesMachine.ts"

/** A client that asks an owner for its record. */
export interface RelayAsk {
  readonly request: number
  readonly table: RelayTable
  readonly record: RelayRecord
  /** Ids of sessions. */
  readonly asker: string
  readonly owner: string
  readonly dueAtMs: number
}

const requestMax = 0xffff_ffff

/** Requests for records that owners have not answered yet, oldest first. */
export class RelayAsks implements Iterable<RelayAsk> {
  #last = 0
  readonly #asks = new Map<number, RelayAsk>()
  /** The records that each session waits for. */
  readonly #waiting = new Map<string, Set<RelayRecord>>()

  /** Whether a session waits for this record: one answer is for all that it asks until then. */
  waits(asker: string, record: RelayRecord): boolean {
    return this.#waiting.get(asker)?.has(record) === true
  }

  /** How many records a session waits for. */
  waitingOf(asker: string): number {
    return this.#waiting.get(asker)?.size ?? 0
  }

  [Symbol.iterator](): Iterator<RelayAsk> {
    return this.#asks.values()
  }

  open(ask: Pick<RelayAsk, "table" | "record" | "asker" | "owner">, nowMs: number): RelayAsk {
    this.#last = this.#last === requestMax ? 1 : this.#last + 1
    const dueAtMs = nowMs + RelayLimits.relayOwnershipAnswer.ms
    const opened: RelayAsk = { ...ask, request: this.#last, dueAtMs }
    this.#asks.set(opened.request, opened)
    const waiting = this.#waiting.get(ask.asker) ?? new Set()
    this.#waiting.set(ask.asker, waiting.add(ask.record))
    return opened
  }

  find(request: number): RelayAsk | undefined {
    return this.#asks.get(request)
  }

  close({ request, asker, record }: RelayAsk): void {
    this.#asks.delete(request)
    const waiting = this.#waiting.get(asker)
    waiting?.delete(record)
    if (waiting?.size === 0) this.#waiting.delete(asker)
  }

  /** Closes those that a test picks, and hands them out, oldest first. */
  closeWhere(picks: (ask: RelayAsk) => boolean): ReadonlyArray<RelayAsk> {
    if (this.#asks.size === 0) return []
    const picked = [...this].filter(picks)
    for (const ask of picked) this.close(ask)
    return picked
  }

  earliestDueMs(): number | null {
    let earliest: number | null = null
    for (const { dueAtMs } of this) {
      if (earliest === null || dueAtMs < earliest) earliest = dueAtMs
    }
    return earliest
  }
}

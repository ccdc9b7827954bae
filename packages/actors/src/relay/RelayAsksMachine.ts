import { Limits } from "@atrium/domain/Limits"

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

  /** Requests that wait. */
  get size(): number {
    return this.#asks.size
  }

  [Symbol.iterator](): Iterator<RelayAsk> {
    return this.#asks.values()
  }

  /** @returns `null` when this client waits for this record already: one answer is for both */
  open(ask: Pick<RelayAsk, "table" | "record" | "asker" | "owner">, nowMs: number) {
    for (const { record, asker } of this) {
      if (record === ask.record && asker === ask.asker) return null
    }
    this.#last = this.#last === requestMax ? 1 : this.#last + 1
    const dueAtMs = nowMs + Limits.relayOwnershipAnswer.ms
    const opened: RelayAsk = { ...ask, request: this.#last, dueAtMs }
    this.#asks.set(opened.request, opened)
    return opened
  }

  find(request: number): RelayAsk | undefined {
    return this.#asks.get(request)
  }

  close({ request }: RelayAsk): void {
    this.#asks.delete(request)
  }

  /** Closes those that a test picks, and hands them out, oldest first. */
  closeWhere(picks: (ask: RelayAsk) => boolean): ReadonlyArray<RelayAsk> {
    if (this.#asks.size === 0) return []
    const picked = [...this].filter(picks)
    for (const ask of picked) this.close(ask)
    return picked
  }

  earliestDueMs(): number | null {
    // All wait equally long.
    for (const { dueAtMs } of this) return dueAtMs
    return null
  }
}

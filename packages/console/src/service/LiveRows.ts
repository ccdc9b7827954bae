import type { StreamEvent } from "./EventReader.ts"

/** The rows of a live list, by key, and the moment that they are of. */
export interface LiveRows<Row> {
  readonly rows: ReadonlyMap<string, Row>
  /** `null` = the list has not been told whole yet. */
  readonly atMs: number | null
}

export const noRows: LiveRows<never> = { rows: new Map<string, never>(), atMs: null }

/** Collects the events of a live list: `rows` that are new or have changed, keys that are `gone`, and `whole`. */
export class LiveCollector<Row> {
  readonly #keyOf: (row: Row) => string
  #rows = new Map<string, Row>()
  #atMs: number | null = null

  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf
  }

  /** The list is told anew. */
  begin(): void {
    this.#rows = new Map()
    this.#atMs = null
  }

  /** @returns the list after the events; `null` = it is not whole yet, or nothing of it has changed */
  take(events: ReadonlyArray<StreamEvent>): LiveRows<Row> | null {
    let changed = false
    for (const { event, data } of events) {
      if (event === "ping") continue
      // The service wrote it, as the contract of live lists says; unknown fields stay unread.
      const told = JSON.parse(data) as Told<Row>
      for (const row of told.rows ?? []) this.#rows.set(this.#keyOf(row), row)
      for (const key of told.gone ?? []) this.#rows.delete(key)
      if (event === "whole" || this.#atMs !== null) {
        this.#atMs = Date.parse(told.at)
        changed = true
      }
    }
    return changed ? { rows: new Map(this.#rows), atMs: this.#atMs } : null
  }

  /** The whole list at once, from a service that tells no changes. */
  whole(list: ReadonlyArray<Row>, atMs: number): LiveRows<Row> {
    this.#rows = new Map(list.map((row) => [this.#keyOf(row), row]))
    this.#atMs = atMs
    return { rows: this.#rows, atMs }
  }
}

interface Told<Row> {
  readonly at: string
  readonly rows?: ReadonlyArray<Row>
  readonly gone?: ReadonlyArray<string>
}

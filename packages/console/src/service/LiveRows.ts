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
  #before: ReadonlyMap<string, Row> = new Map()
  #atMs: number | null = null

  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf
  }

  /** The list is told anew. Until it is whole, the one before stays in sight. */
  begin(): void {
    if (this.#atMs !== null) this.#before = this.#rows
    this.#rows = new Map()
    this.#atMs = null
  }

  /** @returns the list after the events; `null` = nothing of it has changed in sight */
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
    if (!changed) return null
    this.#before = new Map()
    return { rows: new Map(this.#rows), atMs: this.#atMs }
  }

  /** The whole list at once, from a service that tells no changes. */
  whole(list: ReadonlyArray<Row>, atMs: number): LiveRows<Row> {
    this.#rows = new Map(list.map((row) => [this.#keyOf(row), row]))
    this.#atMs = atMs
    return this.current
  }

  /** The list as it is in sight. */
  get current(): LiveRows<Row> {
    return this.#atMs === null
      ? { rows: this.#before, atMs: null }
      : { rows: this.#rows, atMs: this.#atMs }
  }
}

interface Told<Row> {
  readonly at: string
  readonly rows?: ReadonlyArray<Row>
  readonly gone?: ReadonlyArray<string>
}

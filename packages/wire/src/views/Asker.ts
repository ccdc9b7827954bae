import type { RoomTable } from "../codec/RoomTable.ts"
import type { Row } from "../codec/Row.ts"
import { type Audience, Audiences } from "./Audience.ts"
import type { ReadableTables, ReadLog } from "./ReadLog.ts"
import type { ViewRule } from "./ViewRule.ts"

/** One who sees the state by the rules. */
export interface Viewer<V> {
  /** `null` = nobody in particular: no rule lets this one see anything. */
  readonly who: V | null
  /** Its number among the viewers. It is free again when the viewer has left. */
  readonly place: number
}

export interface AskerPorts {
  /** A rule failed: it threw, or its answer is neither true nor false. Told once until it does not fail. */
  readonly failed: (path: string, error: unknown) => void
  /** Grows when data of a viewer is read that may change. */
  readonly viewerReads: () => number
  /** Nothing can be changed while a rule runs: what it says would hold for what was there before. */
  readonly lock: (isLocked: boolean) => void
}

/** Asks rules, and notes what their answers depend on. A rule that fails shows nothing. */
export class Asker<V> {
  readonly audiences = new Audiences()
  /** Another array whenever one enters or leaves: a rule may make its viewer leave while it is asked. */
  viewers: ReadonlyArray<Viewer<V>> = []
  readonly #tables: ReadableTables
  readonly #log: ReadLog
  readonly #ports: AskerPorts
  /** Rules that failed since `settle`. */
  readonly #failed = new Set<ViewRule<V>>()
  readonly #asked = new Set<ViewRule<V>>()
  #asking = false

  constructor(tables: ReadableTables, log: ReadLog, ports: AskerPorts) {
    this.#tables = tables
    this.#log = log
    this.#ports = ports
  }

  /** Whether a rule runs now. */
  get asking(): boolean {
    return this.#asking
  }

  /** The viewers whom a rule lets see a row. */
  everybody(rule: ViewRule<V>, table: RoomTable, row: Row): Audience {
    this.audiences.begin()
    this.#ask(rule, this.#tables.record(table, row), { row, viewers: this.viewers })
    return this.audiences.end()
  }

  /** An audience of before, after some viewers were asked about again. */
  some(
    rule: ViewRule<V>,
    at: { readonly table: RoomTable; readonly row: Row },
    again: Again<V>
  ): Audience {
    this.audiences.beginWith(again.audience)
    this.#ask(rule, this.#tables.record(at.table, at.row), { row: at.row, viewers: again.viewers })
    return this.audiences.end()
  }

  /** A rule that was asked and did not fail is told of when it fails again. */
  settle(): void {
    for (const rule of this.#asked) rule.failing = this.#failed.has(rule)
    this.#asked.clear()
    this.#failed.clear()
  }

  #ask(
    rule: ViewRule<V>,
    record: object,
    { row, viewers }: { readonly row: Row; readonly viewers: Iterable<Viewer<V>> }
  ): void {
    const before = this.#ports.viewerReads()
    this.#log.begin(rule, row)
    this.#asking = true
    this.#ports.lock(true)
    for (const { who, place } of viewers) {
      this.audiences.put(place, who !== null && this.#allows(rule, who, record))
    }
    this.#asking = false
    this.#ports.lock(false)
    this.#log.end()
    this.#asked.add(rule)
    if (this.#ports.viewerReads() !== before) rule.readsViewer = true
  }

  #allows(rule: ViewRule<V>, who: V, record: object): boolean {
    try {
      const answer = rule.asks(who, record, this.#tables.room)
      if (typeof answer === "boolean") return answer
      throw new TypeError("the answer is neither true nor false")
    } catch (error) {
      this.#failed.add(rule)
      if (!rule.failing) {
        rule.failing = true
        this.#ports.failed(rule.path, error)
      }
      return false
    }
  }
}

export interface Again<V> {
  readonly audience: Audience
  readonly viewers: Iterable<Viewer<V>>
}

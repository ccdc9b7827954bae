import { addField } from "../codec/Mask.ts"
import type { RoomTable } from "../codec/RoomTable.ts"
import { SingletonId, type Row } from "../codec/Row.ts"
import { singletonRow, type StateTables } from "../codec/StateTables.ts"
import type { ReadableState, TableReads, ViewRule } from "./ViewRule.ts"

type RuleReads = Pick<ViewRule<never>, "own" | "others">

/** Notes what a rule reads while it is asked, so that a change of just that asks it again. */
export class ReadLog {
  #reads: RuleReads | null = null
  #row: Row | null = null

  /** A rule is asked about a record from here on. */
  begin(reads: RuleReads, row: Row): void {
    this.#reads = reads
    this.#row = row
  }

  end(): void {
    this.#reads = null
    this.#row = null
  }

  field(table: RoomTable, row: Row, index: number): void {
    if (this.#reads === null) return
    addField(row === this.#row ? this.#reads.own : readsOf(this.#reads, table).fields, index)
  }

  members(table: RoomTable): void {
    if (this.#reads !== null) readsOf(this.#reads, table).members = true
  }
}

const readsOf = ({ others }: RuleReads, table: RoomTable): TableReads => {
  const known = others.get(table)
  if (known !== undefined) return known
  const reads = { fields: new Uint8Array(table.maskBytes), members: false }
  others.set(table, reads)
  return reads
}

/** The state of some tables, to be read only, with a note of each read. */
export class ReadableTables {
  readonly room: ReadableState
  readonly #of = new Map<RoomTable, ReadableTable>()

  /** @param shown those that clients know of; the others are hidden from them */
  constructor(all: StateTables<RoomTable>, shown: StateTables<RoomTable>, log: ReadLog) {
    const partOf = (part: "singletons" | "collections", isShown: boolean) =>
      all[part]
        .filter((table) => shown[part].includes(table) === isShown)
        .map((table): [string, object] => {
          const readable = new ReadableTable(table, log)
          this.#of.set(table, readable)
          const isOne = part === "singletons"
          return [table.shape.name, isOne ? readable.record(singletonRow(table)) : readable]
        })
    const stateOf = (isShown: boolean) =>
      Object.freeze(
        Object.fromEntries([...partOf("singletons", isShown), ...partOf("collections", isShown)])
      )
    this.room = Object.freeze({ state: stateOf(true), hidden: stateOf(false) })
  }

  /** A record, as rules get it. */
  record(table: RoomTable, row: Row): object {
    const readable = this.#of.get(table)
    if (readable === undefined) throw new Error(`${table.shape.name} is not of this state`)
    return readable.record(row)
  }
}

/** One collection, to be read only. */
class ReadableTable {
  readonly #table: RoomTable
  readonly #log: ReadLog
  readonly #recordClass: new (row: Row) => object
  readonly #records = new WeakMap<Row, object>()

  constructor(table: RoomTable, log: ReadLog) {
    this.#table = table
    this.#log = log
    this.#recordClass = makeRecordClass(table, log)
  }

  record(row: Row): object {
    const known = this.#records.get(row)
    if (known !== undefined) return known
    const record = new this.#recordClass(row)
    this.#records.set(row, record)
    return record
  }

  get size(): number {
    this.#log.members(this.#table)
    return this.#table.rows.size
  }

  has(id: number): boolean {
    this.#log.members(this.#table)
    return this.#table.rows.has(id)
  }

  get(id: number): object | undefined {
    this.#log.members(this.#table)
    const row = this.#table.rows.get(id)
    return row === undefined ? undefined : this.record(row)
  }

  *[Symbol.iterator](): IterableIterator<object> {
    this.#log.members(this.#table)
    for (const row of this.#table.rows.values()) yield this.record(row)
  }

  toJSON(): ReadonlyArray<object> {
    return [...this]
  }
}

/** Makes the class of a table's records as rules get them: one getter per field. */
const makeRecordClass = (table: RoomTable, log: ReadLog): new (row: Row) => object => {
  const { fields } = table.shape
  class ReadableRecord {
    readonly #row: Row

    constructor(row: Row) {
      this.#row = row
      Object.freeze(this)
    }

    get id(): number {
      return this.#row.id
    }

    static read(record: ReadableRecord, name: string, index: number): unknown {
      log.field(table, record.#row, index)
      return Reflect.get(record.#row, name)
    }

    toJSON(): Record<string, unknown> {
      const plain: Record<string, unknown> = this.id === SingletonId ? {} : { id: this.id }
      for (const { name, index } of fields) plain[name] = ReadableRecord.read(this, name, index)
      return plain
    }
  }
  for (const { name, index } of fields) {
    Object.defineProperty(ReadableRecord.prototype, name, {
      enumerable: true,
      get(this: ReadableRecord): unknown {
        return ReadableRecord.read(this, name, index)
      }
    })
  }
  return ReadableRecord
}

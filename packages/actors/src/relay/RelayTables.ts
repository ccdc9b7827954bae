/** The bytes of a field that is written. */
export type FieldBytes = readonly [field: number, bytes: number]

/** One record of a relay room, without its values. */
export interface RelayRecord {
  readonly id: number
  /** The session that owns it; a session that has ended owns nothing. */
  readonly owner: string | null
  /** Encoded bytes of each field, and of all of them. */
  readonly fieldBytes: ReadonlyArray<number>
  readonly bytes: number
}

/** A table as a schema makes it: a collection has no record, a singleton its defaults. */
export interface RelayTableShape {
  readonly name: string
  readonly singleton: boolean
  /** Bytes of each field's default. */
  readonly defaults: ReadonlyArray<number>
}

/** A collection, or a singleton as the one record 0. */
export interface RelayTable extends RelayTableShape {
  /** Ascending by id. */
  readonly records: ReadonlyArray<RelayRecord>
  readonly nextId: number
}

/** A table as a snapshot has it. */
export interface StoredTable {
  /** Ascending by id. */
  readonly records: ReadonlyArray<Omit<RelayRecord, "bytes">>
  readonly nextId: number
}

/** The records of a relay room. `bytes` is the length of the encoded full state. */
export interface RelayTables {
  readonly list: ReadonlyArray<RelayTable>
  readonly places: ReadonlyMap<string, number>
  readonly bytes: number
}

/** Its successor must fit 32 bits as well: docs/protocol.md, State encoding. */
export const RecordIdMax = 0xffff_fffe

export const makeTables = (shapes: ReadonlyArray<RelayTableShape>): RelayTables => {
  const list = shapes.map((shape): RelayTable => {
    const { singleton, defaults } = shape
    return { ...shape, records: singleton ? [makeRecord(0, null, defaults)] : [], nextId: 1 }
  })
  return {
    list,
    places: new Map(shapes.map(({ name }, place) => [name, place])),
    bytes: encodedBytes(list)
  }
}

/** @param stored one for each table, in the order of the tables */
export const loadTables = (
  tables: RelayTables,
  stored: ReadonlyArray<StoredTable>
): RelayTables => {
  const list = tables.list.map((table, place): RelayTable => {
    const kept = stored[place]
    if (kept === undefined) return table
    const records = kept.records.map(({ id, owner, fieldBytes }) =>
      makeRecord(id, owner, fieldBytes)
    )
    return { ...table, records, nextId: kept.nextId }
  })
  return { ...tables, list, bytes: encodedBytes(list) }
}

export const findRecord = (
  { records }: Pick<RelayTable, "records">,
  id: number
): RelayRecord | undefined => records[placeOfRecord(records, id)]

/** The same tables, with another owner of a record. */
export const giveRecord = (
  tables: RelayTables,
  at: { readonly table: number; readonly key: number },
  owner: string
): RelayTables => {
  const draft = new TablesDraft(tables)
  draft.give(at, owner)
  return draft.tables()
}

interface DraftTable extends RelayTable {
  readonly records: Array<RelayRecord>
  nextId: number
}

/**
 * Tables that one write changes, op by op. A table is copied at its first change, so the tables that
 * the draft began with stay as they are: a write that is refused drops its draft.
 */
export class TablesDraft {
  readonly #from: RelayTables
  /** By place. */
  readonly #drafts: Array<DraftTable | undefined> = []
  #bytes: number

  constructor(from: RelayTables) {
    this.#from = from
    this.#bytes = from.bytes
  }

  /** Bytes of the full state as the draft would leave it. */
  get bytes(): number {
    return this.#bytes
  }

  at(table: number): RelayTable | undefined {
    return this.#drafts[table] ?? this.#from.list[table]
  }

  /** @returns the id of the new record. The caller has checked that an id is left. */
  add(place: number, owner: string, fields: ReadonlyArray<FieldBytes>): number | undefined {
    const table = this.#draft(place)
    if (table === undefined) return undefined
    const { records, defaults, nextId } = table
    const record = makeRecord(nextId, owner, sizesWith(defaults, fields))
    this.#bytes += varuintBytes(records.length + 1) - varuintBytes(records.length)
    this.#bytes += gapBytes(records.at(-1), nextId) + record.bytes
    records.push(record)
    table.nextId++
    return nextId
  }

  /** A write that keeps the length of each field, as most do, copies nothing. */
  set(place: number, record: RelayRecord, fields: ReadonlyArray<FieldBytes>): void {
    if (keepsSizes(record, fields)) return
    const { id, owner, fieldBytes } = record
    const changed = makeRecord(id, owner, sizesWith(fieldBytes, fields))
    this.#bytes += changed.bytes - record.bytes
    this.#put(place, changed)
  }

  remove(place: number, record: RelayRecord): void {
    const records = this.#draft(place)?.records
    if (records === undefined) return
    const at = placeOfRecord(records, record.id)
    const [before, after] = [records[at - 1], records[at + 1]]
    this.#bytes += varuintBytes(records.length - 1) - varuintBytes(records.length)
    this.#bytes -= gapBytes(before, record.id) + record.bytes
    if (after !== undefined) this.#bytes += gapBytes(before, after.id) - gapBytes(record, after.id)
    records.splice(at, 1)
  }

  give(at: { readonly table: number; readonly key: number }, owner: string): void {
    const table = this.at(at.table)
    const record = table === undefined ? undefined : findRecord(table, at.key)
    if (record !== undefined) this.#put(at.table, { ...record, owner })
  }

  /** The tables with all changes; the same ones when there are none. */
  tables(): RelayTables {
    if (this.#drafts.length === 0) return this.#from
    const list = this.#from.list.slice()
    for (const [place, draft] of this.#drafts.entries())
      if (draft !== undefined) list[place] = draft
    return { list, places: this.#from.places, bytes: this.#bytes }
  }

  #put(place: number, record: RelayRecord): void {
    const records = this.#draft(place)?.records
    if (records !== undefined) records[placeOfRecord(records, record.id)] = record
  }

  #draft(place: number): DraftTable | undefined {
    const known = this.#drafts[place]
    const from = this.#from.list[place]
    if (known !== undefined || from === undefined) return known
    const { name, singleton, defaults, records, nextId } = from
    const draft = { name, singleton, defaults, records: records.slice(), nextId }
    this.#drafts[place] = draft
    return draft
  }
}

const makeRecord = (
  id: number,
  owner: string | null,
  fieldBytes: ReadonlyArray<number>
): RelayRecord => {
  let bytes = 0
  for (const size of fieldBytes) bytes += size
  return { id, owner, fieldBytes, bytes }
}

const keepsSizes = ({ fieldBytes }: RelayRecord, fields: ReadonlyArray<FieldBytes>): boolean => {
  for (const [field, bytes] of fields) if (fieldBytes[field] !== bytes) return false
  return true
}

const sizesWith = (
  fieldBytes: ReadonlyArray<number>,
  fields: ReadonlyArray<FieldBytes>
): ReadonlyArray<number> => {
  const sizes = [...fieldBytes]
  for (const [field, bytes] of fields) sizes[field] = bytes
  return sizes
}

/** @returns -1 when no record has the id */
const placeOfRecord = (records: ReadonlyArray<RelayRecord>, id: number): number => {
  let low = 0
  let high = records.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = records[middle]?.id ?? 0
    if (found === id) return middle
    if (found < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}

const encodedBytes = (tables: ReadonlyArray<RelayTable>): number => {
  let bytes = 0
  for (const { singleton, records } of tables) {
    if (!singleton) bytes += varuintBytes(records.length)
    for (const [at, record] of records.entries()) {
      bytes += record.bytes + (singleton ? 0 : gapBytes(records[at - 1], record.id))
    }
  }
  return bytes
}

/** An id is written as its distance to the id before it. */
const gapBytes = (before: RelayRecord | undefined, id: number): number =>
  varuintBytes(id - (before?.id ?? 0) - 1)

/** Bytes of a number of up to 32 bits at 7 bits each. */
export const varuintBytes = (value: number): number => {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

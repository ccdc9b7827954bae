/** One record of a relay room: whose it is, and how many bytes each of its fields takes encoded. */
export interface RelayRecord {
  readonly id: number
  /** The session that owns it; a session that is gone owns nothing. */
  owner: string | null
  readonly fieldBytes: Array<number>
  bytes: number
  /** Its neighbours by id: an id is written as the distance to the one before. */
  before: RelayRecord | null
  after: RelayRecord | null
}

/** A collection, or a singleton as the one record 0. */
export interface RelayTable {
  readonly name: string
  readonly singleton: boolean
  /** Bytes of each field's default. */
  readonly defaults: ReadonlyArray<number>
  readonly records: Map<number, RelayRecord>
  last: RelayRecord | null
  nextId: number
}

/** A table as a schema makes it: no record, and a singleton at its defaults. */
export interface RelayTableShape {
  readonly name: string
  readonly singleton: boolean
  readonly defaults: ReadonlyArray<number>
}

/** The bytes of a field that is written. */
export type FieldBytes = readonly [field: number, bytes: number]

/** Its successor must fit 32 bits as well: docs/protocol.md, State encoding. */
export const RecordIdMax = 0xffff_fffe

/**
 * The records of a relay room without their values. `bytes` is at all times the length of the full
 * state, counted along with each change; a frame's changes can be taken back as a whole.
 */
export class RelayTables {
  readonly list: ReadonlyArray<RelayTable>
  readonly #byName: ReadonlyMap<string, number>
  #bytes = 0
  /** What takes back the changes since the last {@link settle}, oldest first. */
  #undo: Array<() => void> = []

  constructor(shapes: ReadonlyArray<RelayTableShape>) {
    this.list = shapes.map((shape) => ({ ...shape, records: new Map(), last: null, nextId: 1 }))
    this.#byName = new Map(shapes.map(({ name }, place) => [name, place]))
    for (const table of this.list) {
      if (!table.singleton) this.#bytes += varuintBytes(0)
      else this.#bytes += this.#put(table, makeRecord(0, null, table.defaults)).bytes
    }
  }

  /** Bytes of the full state. */
  get bytes(): number {
    return this.#bytes
  }

  placeOf(name: string): number | undefined {
    return this.#byName.get(name)
  }

  /** Takes over a record of a stored state, ascending by id. */
  restore(table: RelayTable, stored: { id: number; owner: string | null; fieldBytes: number[] }) {
    const record = makeRecord(stored.id, stored.owner, stored.fieldBytes)
    this.#bytes += this.#addedBytes(table, record)
    this.#put(table, record)
    table.nextId = Math.max(table.nextId, stored.id + 1)
  }

  /** The caller has looked that there is an id left. */
  add(table: RelayTable, owner: string, fields: ReadonlyArray<FieldBytes>): RelayRecord {
    const record = makeRecord(table.nextId, owner, table.defaults)
    for (const [field, bytes] of fields) resize(record, field, bytes)
    const grown = this.#addedBytes(table, record)
    this.#put(table, record)
    this.#bytes += grown
    table.nextId++
    this.#undo.push(() => {
      table.nextId--
      this.#bytes -= grown
      this.#take(table, record)
    })
    return record
  }

  set(record: RelayRecord, fields: ReadonlyArray<FieldBytes>): void {
    const before = [...record.fieldBytes]
    const bytesBefore = record.bytes
    for (const [field, bytes] of fields) resize(record, field, bytes)
    const grown = record.bytes - bytesBefore
    this.#bytes += grown
    this.#undo.push(() => {
      for (const [field, bytes] of before.entries()) resize(record, field, bytes)
      this.#bytes -= grown
    })
  }

  remove(table: RelayTable, record: RelayRecord): void {
    const shrunk = removedBytes(table, record)
    this.#take(table, record)
    this.#bytes -= shrunk
    this.#undo.push(() => {
      this.#bytes += shrunk
      this.#putBack(table, record)
    })
  }

  /** What has changed stays. */
  settle(): void {
    this.#undo = []
  }

  /** Takes back what has changed since the last {@link settle}: the ids, too, as nobody has seen them. */
  takeBack(): void {
    for (const undo of this.#undo.toReversed()) undo()
    this.#undo = []
  }

  #addedBytes({ records, last }: RelayTable, { id, bytes }: RelayRecord): number {
    const counts = varuintBytes(records.size + 1) - varuintBytes(records.size)
    return counts + gapBytes(last, id) + bytes
  }

  #put(table: RelayTable, record: RelayRecord): RelayRecord {
    record.before = table.last
    if (table.last !== null) table.last.after = record
    table.last = record
    table.records.set(record.id, record)
    return record
  }

  #take(table: RelayTable, record: RelayRecord): void {
    const { before, after } = record
    if (before !== null) before.after = after
    if (after === null) table.last = before
    else after.before = before
    table.records.delete(record.id)
  }

  /** Its neighbours are those that it had: what came after is taken back already. */
  #putBack(table: RelayTable, record: RelayRecord): void {
    const { before, after } = record
    if (before !== null) before.after = record
    if (after === null) table.last = record
    else after.before = record
    table.records.set(record.id, record)
  }
}

const makeRecord = (
  id: number,
  owner: string | null,
  fieldBytes: ReadonlyArray<number>
): RelayRecord => ({
  ...{ id, owner, fieldBytes: [...fieldBytes], before: null, after: null },
  bytes: fieldBytes.reduce((sum, bytes) => sum + bytes, 0)
})

const resize = (record: RelayRecord, field: number, bytes: number): void => {
  record.bytes += bytes - (record.fieldBytes[field] ?? 0)
  record.fieldBytes[field] = bytes
}

/** What the full state loses with a record: itself, and what its neighbour writes for the distance. */
const removedBytes = ({ records }: RelayTable, record: RelayRecord): number => {
  const { id, bytes, before, after } = record
  const counts = varuintBytes(records.size) - varuintBytes(records.size - 1)
  const own = gapBytes(before, id) + bytes + counts
  return after === null ? own : own + gapBytes(record, after.id) - gapBytes(before, after.id)
}

const gapBytes = (before: RelayRecord | null, id: number): number =>
  varuintBytes(id - (before?.id ?? 0) - 1)

/** Bytes of a number of up to 32 bits at 7 bits each. */
export const varuintBytes = (value: number): number => {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

import type { StateShape } from "../schema/RoomSchema.ts"
import type { ByteReader } from "./ByteReader.ts"
import { type Column, makeColumn } from "./Column.ts"
import { maskBytes } from "./Mask.ts"
import { LastValues, makeRowClass, Slot, type Row, type RowSource, valuesOf } from "./Row.ts"

const FirstCapacity = 8
/** Its successor, which a snapshot holds as the next id, must fit 32 bits. */
export const EntityIdMax = 0xffff_fffe

/**
 * The entities of one collection, or one singleton as a single row: values by column and slot, and records
 * that reach into them. A room's table, which changes by itself, is a `RoomTable`.
 */
export class Table implements RowSource {
  readonly shape: StateShape
  readonly columns: ReadonlyArray<Column>
  /** Bytes of a mask of the fields. */
  readonly maskBytes: number
  /** Ascending by id. */
  rows = new Map<number, Row>()
  /** The highest id that was ever created here. */
  lastId = 0
  readonly #rowClass: new (id: number, slot: number) => Row
  readonly #free: Array<number> = []
  #capacity = 0
  #slots = 0

  constructor(shape: StateShape) {
    this.shape = shape
    this.columns = this.makeColumns(shape)
    this.maskBytes = maskBytes(shape.fields.length)
    this.#rowClass = makeRowClass(this)
  }

  /** Adds a row of defaults, unknown to any delta. The caller keeps `rows` in order. */
  create(id: number): Row {
    const slot = this.#free.pop() ?? this.#slots
    if (slot === this.#slots) this.#slots += 1
    if (slot >= this.#capacity) {
      this.#capacity = Math.max(FirstCapacity, 2 * this.#capacity)
      this.grow(this.#capacity)
    }
    const row = new this.#rowClass(id, slot)
    this.resetRow(row)
    this.rows.set(id, row)
    if (id > this.lastId) this.lastId = id
    return row
  }

  /** Puts the defaults back into a row, unknown to any delta. */
  resetRow(row: Row): void {
    for (const column of this.columns) column.reset(row[Slot])
  }

  /** Takes a row's slot away. The record keeps its last values, so that it can still be read. */
  release(row: Row): void {
    const slot = row[Slot]
    row[LastValues] = valuesOf(this, row)
    row[Slot] = -1
    for (const column of this.columns) column.release(slot)
    this.#free.push(slot)
  }

  /** Reads all of a row, as a full state has it. */
  readRow(reader: ByteReader, row: Row): void {
    for (const column of this.columns) column.read(reader, row[Slot])
  }

  /** Reads what a delta says of some columns of a row. */
  readChanges(reader: ByteReader, row: Row, columns: ReadonlyArray<Column>): void {
    for (const column of columns) column.readDelta(reader, row[Slot])
  }

  protected makeColumns({ fields }: StateShape): ReadonlyArray<Column> {
    return fields.map(({ field }) => makeColumn(field))
  }

  protected grow(capacity: number): void {
    for (const column of this.columns) column.grow(capacity)
  }
}

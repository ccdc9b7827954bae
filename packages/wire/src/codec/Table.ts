import { FieldError } from "../schema/FieldError.ts"
import type { StateShape } from "../schema/RoomSchema.ts"
import { makeColumn, type Column } from "./Column.ts"
import { LastValues, makeRowClass, Slot, type Row, type RowSource, valuesOf } from "./Row.ts"

const FirstCapacity = 8
/** Its successor, which a snapshot holds as the next id, must fit 32 bits. */
export const EntityIdMax = 0xffff_fffe

const Pending = 1
const Created = 2

/** The owner of a table: it says whether rows can be assigned, and hears of the first change. */
export interface TableOwner {
  readonly writable: boolean
  /** Nothing can be changed now. */
  readonly locked: boolean
  touch(): void
  /** Puts itself around a column, to see what is read into it. Absent = nobody looks. */
  readonly watch?: (column: Column) => Column
}

/**
 * The entities of one collection, or one singleton as a single row: values by column and slot,
 * records that reach into them, and what changed since the last delta.
 */
export class Table implements RowSource {
  readonly shape: StateShape
  readonly columns: ReadonlyArray<Column>
  /** Bytes of a mask of the fields. */
  readonly maskBytes: number
  /** Ascending by id. */
  rows = new Map<number, Row>()
  /** Rows that changed or were created, in order of their first change; removed ones among them. */
  pending: Array<Row> = []
  /** Ids that clients know and that are gone. */
  removed: Array<number> = []
  /** The id of the next entity that is added. */
  nextId = 1
  /** The highest id that was ever created here. */
  lastId = 0
  readonly writable: boolean
  readonly #owner: TableOwner
  readonly #rowClass: new (id: number, slot: number) => Row
  readonly #free: Array<number> = []
  #capacity = 0
  #slots = 0
  #masks = new Uint8Array(0)
  #flags = new Uint8Array(0)

  constructor(shape: StateShape, owner: TableOwner) {
    this.shape = shape
    const { watch = (column) => column } = owner
    this.columns = shape.fields.map(({ name, field }) =>
      watch(makeColumn(field, `${shape.name}.${name}`))
    )
    this.maskBytes = Math.ceil(shape.fields.length / 8)
    this.writable = owner.writable
    this.#owner = owner
    this.#rowClass = makeRowClass(this)
  }

  /** Adds a row of defaults, unknown to any delta. The caller keeps `rows` in order. */
  create(id: number): Row {
    const slot = this.#free.pop() ?? this.#slots
    if (slot === this.#slots) this.#slots += 1
    if (slot >= this.#capacity) this.#grow()
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

  /** Adds an entity that the next delta tells of. */
  add(): Row {
    this.demandUnlocked()
    const id = this.nextId
    if (id > EntityIdMax) throw new FieldError(`${this.shape.name}: no entity id is left`)
    this.nextId = id + 1
    const row = this.create(id)
    this.#flags[row[Slot]] = Pending | Created
    this.pending.push(row)
    this.#owner.touch()
    return row
  }

  /** Removes an entity that the next delta takes from those who know it. */
  remove(id: number): boolean {
    this.demandUnlocked()
    const row = this.rows.get(id)
    if (row === undefined) return false
    if (((this.#flags[row[Slot]] ?? 0) & Created) === 0) this.removed.push(id)
    this.rows.delete(id)
    this.release(row)
    this.#owner.touch()
    return true
  }

  /** Takes a row's slot away. The record keeps its last values, so that it can still be read. */
  release(row: Row): void {
    const slot = row[Slot]
    row[LastValues] = valuesOf(this, row)
    row[Slot] = -1
    this.#unmark(slot)
    for (const column of this.columns) column.release(slot)
    this.#free.push(slot)
  }

  /** Throws `FieldError` while nothing can be changed. */
  demandUnlocked(): void {
    if (this.#owner.locked) {
      throw new FieldError(`${this.shape.name}: cannot change while a rule says who sees what`)
    }
  }

  /** Notes that a field changed. */
  mark(row: Row, index: number): void {
    const slot = row[Slot]
    const at = slot * this.maskBytes + (index >> 3)
    this.#masks[at] = (this.#masks[at] ?? 0) | (1 << (index & 7))
    const flags = this.#flags[slot] ?? 0
    if ((flags & Pending) !== 0) return
    this.#flags[slot] = flags | Pending
    this.pending.push(row)
    this.#owner.touch()
  }

  /** The changed fields of a row, as bytes of a buffer that the next change may replace. */
  maskOf(row: Row): Uint8Array {
    const at = row[Slot] * this.maskBytes
    return this.#masks.subarray(at, at + this.maskBytes)
  }

  maskByte(slot: number, place: number): number {
    return this.#masks[slot * this.maskBytes + place] ?? 0
  }

  /** Forgets what changed. */
  settle(): void {
    for (const row of this.pending) if (row[Slot] >= 0) this.#unmark(row[Slot])
    this.pending.length = 0
    this.removed.length = 0
  }

  #unmark(slot: number): void {
    this.#flags[slot] = 0
    this.#masks.fill(0, slot * this.maskBytes, (slot + 1) * this.maskBytes)
  }

  #grow(): void {
    this.#capacity = Math.max(FirstCapacity, 2 * this.#capacity)
    for (const column of this.columns) column.grow(this.#capacity)
    const masks = new Uint8Array(this.#capacity * this.maskBytes)
    masks.set(this.#masks)
    this.#masks = masks
    const flags = new Uint8Array(this.#capacity)
    flags.set(this.#flags)
    this.#flags = flags
  }
}

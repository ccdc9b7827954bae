import type { AnyField } from "../schema/Field.ts"
import { FieldError } from "../schema/FieldError.ts"
import type { StateShape } from "../schema/RoomSchema.ts"
import { isNumeric } from "./FieldCodec.ts"
import { LiveColumn } from "./LiveColumn.ts"
import {
  type ColumnParts,
  type RoomColumn,
  RoomNumberColumn,
  RoomObjectColumn
} from "./RoomColumn.ts"
import { Slot, type Row } from "./Row.ts"
import { EntityIdMax, Table } from "./Table.ts"

const Pending = 1
const Created = 2

/** The owner of a room's tables: it says whether they can change, and hears of the first change. */
export interface TableOwner {
  /** Nothing can be changed now. */
  readonly locked: boolean
  touch(): void
}

/** A table that room code changes: it knows what changed since the last delta. */
export class RoomTable extends Table {
  declare readonly columns: ReadonlyArray<RoomColumn>
  /** Rows that changed or were created, in order of their first change; removed ones among them. */
  pending: Array<Row> = []
  /** Ids that clients know and that are gone. */
  removed: Array<number> = []
  /** The id of the next entity that is added. */
  nextId = 1
  readonly #owner: TableOwner
  /** Columns that keep by themselves what changed within a value. */
  readonly #live: ReadonlyArray<RoomColumn>
  #masks = new Uint8Array(0)
  #flags = new Uint8Array(0)

  constructor(shape: StateShape, owner: TableOwner) {
    super(shape)
    this.#owner = owner
    this.#live = this.columns.filter((_, index) => shape.fields[index]?.field.live)
  }

  setter(index: number): (this: Row, value: unknown) => void {
    const column = this.columns[index]
    const { name } = this.shape
    const mark = (row: Row): void => this.mark(row, index)
    const demandUnlocked = (): void => this.demandUnlocked()
    return function (this: Row, value: unknown): void {
      const slot = this[Slot]
      if (slot < 0) throw new FieldError(`${name} ${this.id} was removed`)
      demandUnlocked()
      if (column?.set(slot, value, this) === true) mark(this)
    }
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

  override release(row: Row): void {
    this.#unmark(row[Slot])
    super.release(row)
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
    for (const column of this.#live) column.settle(slot)
  }

  protected override makeColumns({ name, fields }: StateShape): ReadonlyArray<RoomColumn> {
    return fields.map((named) =>
      makeRoomColumn(named.field, {
        path: `${name}.${named.name}`,
        changed: (row) => this.mark(row, named.index),
        demandUnlocked: () => this.demandUnlocked()
      })
    )
  }

  protected override grow(capacity: number): void {
    super.grow(capacity)
    const masks = new Uint8Array(capacity * this.maskBytes)
    masks.set(this.#masks)
    this.#masks = masks
    const flags = new Uint8Array(capacity)
    flags.set(this.#flags)
    this.#flags = flags
  }
}

const makeRoomColumn = (field: AnyField, parts: ColumnParts): RoomColumn => {
  if (field.live) return new LiveColumn(field, parts)
  return isNumeric(field)
    ? new RoomNumberColumn(field, parts.path)
    : new RoomObjectColumn(field, parts.path)
}

import { FieldError } from "../schema/FieldError.ts"
import type { StateShape } from "../schema/RoomSchema.ts"
import type { Column } from "./Column.ts"

/** Where a record's values are; -1 once it was removed. */
export const Slot = Symbol("slot")
/** The values of a removed record. */
export const LastValues = Symbol("lastValues")
const Id = Symbol("id")
/** Makes `console.log` of Node show the values. */
const Inspect = Symbol.for("nodejs.util.inspect.custom")

/** One entity or singleton in a room or a client: accessors into its source. */
export interface Row {
  readonly id: number
  [Slot]: number
  [LastValues]: ReadonlyArray<unknown> | null
}

/** The singleton's row has this id, which no entity has. */
export const SingletonId = 0

/** Reads one field of a row, removed or not. */
const valueOf = (row: Row, column: Column, index: number): unknown => {
  const slot = row[Slot]
  return slot >= 0 ? column.get(slot) : row[LastValues]?.[index]
}

/** The source that a class of records reads and writes. */
export interface RowSource {
  readonly shape: StateShape
  readonly columns: ReadonlyArray<Column>
  /** Whether records can be assigned. */
  readonly writable: boolean
  /** Hears of every field that changed. */
  mark(row: Row, index: number): void
}

/** Makes the class of a table's records, with one accessor per field. */
export const makeRowClass = (source: RowSource): new (id: number, slot: number) => Row => {
  class EntityRow implements Row {
    readonly [Id]: number;
    [Slot]: number;
    [LastValues]: ReadonlyArray<unknown> | null = null

    constructor(id: number, slot: number) {
      this[Id] = id
      this[Slot] = slot
    }

    get id(): number {
      return this[Id]
    }

    toJSON(): Record<string, unknown> {
      const plain: Record<string, unknown> = this[Id] === SingletonId ? {} : { id: this[Id] }
      for (const { name, index } of source.shape.fields) {
        const column = source.columns[index]
        if (column !== undefined) plain[name] = valueOf(this, column, index)
      }
      return plain
    }

    [Inspect](): Record<string, unknown> {
      return this.toJSON()
    }
  }
  for (const { name, index } of source.shape.fields) {
    const column = source.columns[index]
    if (column === undefined) continue
    Object.defineProperty(EntityRow.prototype, name, {
      enumerable: true,
      get(this: Row): unknown {
        return valueOf(this, column, index)
      },
      ...(source.writable ? { set: setter(source, column, index) } : {})
    })
  }
  return EntityRow
}

const setter = (
  source: RowSource,
  column: Column,
  index: number
): ((this: Row, value: unknown) => void) =>
  function (this: Row, value: unknown): void {
    const slot = this[Slot]
    if (slot < 0) throw new FieldError(`${source.shape.name} ${this.id} was removed`)
    if (column.set(slot, value)) source.mark(this, index)
  }

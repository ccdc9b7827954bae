import type { StateShape } from "../schema/RoomSchema.ts"
import { type HasWhole, shownOf, Whole, wholeOf } from "../schema/UnknownChoice.ts"

/** Where a record's values are; -1 once it was removed. */
export const Slot = Symbol("slot")
/** The values of a removed record. */
export const LastValues = Symbol("lastValues")
const Id = Symbol("id")
/** Makes `console.log` of Node show the values. */
export const Inspect = Symbol.for("nodejs.util.inspect.custom")

/** One entity or singleton in a room or a client: accessors into its source. */
export interface Row {
  readonly id: number
  [Slot]: number
  [LastValues]: Values | null
}

/** The values of a record, by the names of its fields. */
type Values = Readonly<Record<string, unknown>> & HasWhole

/** The singleton's row has this id, which no entity has. */
export const SingletonId = 0

/** All values of a row, removed or not. */
export const valuesOf = ({ shape, columns }: RowSource, row: Row): Values => {
  const slot = row[Slot]
  if (slot < 0) return row[LastValues] ?? {}
  const values: Record<string, unknown> = {}
  for (const { name, index } of shape.fields) values[name] = columns[index]?.whole(slot, row)
  return shownOf(values)
}

/** The values of one field, by slot. */
export interface RowValues {
  /** The public value; `undefined` also for a choice that is not known here. `row` is the record in the slot. */
  get(slot: number, row: Row): unknown
  /** The same, but for an unknown choice an `UnknownChoice`. */
  whole(slot: number, row: Row): unknown
}

/** The source that a class of records reads and writes. */
export interface RowSource {
  readonly shape: StateShape
  readonly columns: ReadonlyArray<RowValues>
  /** Assigns a field of a record; left out where records cannot be assigned. */
  setter?(index: number): (this: Row, value: unknown) => void
}

/** Makes the class of a table's records, with one accessor per field. */
export const makeRowClass = (source: RowSource): new (id: number, slot: number) => Row => {
  class EntityRow implements Row {
    readonly [Id]: number;
    [Slot]: number;
    [LastValues]: Values | null = null

    constructor(id: number, slot: number) {
      this[Id] = id
      this[Slot] = slot
    }

    get id(): number {
      return this[Id]
    }

    get [Whole](): object {
      return wholeOf(valuesOf(source, this))
    }

    toJSON(): Record<string, unknown> {
      const values = valuesOf(source, this)
      return this[Id] === SingletonId ? { ...values } : { id: this[Id], ...values }
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
        const slot = this[Slot]
        return slot >= 0 ? column.get(slot, this) : this[LastValues]?.[name]
      },
      ...(source.setter === undefined ? {} : { set: source.setter(index) })
    })
  }
  return EntityRow
}

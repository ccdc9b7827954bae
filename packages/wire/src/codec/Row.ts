import { FieldError } from "../schema/FieldError.ts"
import type { StateShape } from "../schema/RoomSchema.ts"
import { type HasUnknown, noteUnknown, Unknown } from "../schema/UnknownChoice.ts"
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
  [LastValues]: Values | null
}

/** The values of a record, by the names of its fields. */
type Values = Readonly<Record<string, unknown>> & HasUnknown

/** The singleton's row has this id, which no entity has. */
export const SingletonId = 0

/** All values of a row, removed or not. */
export const valuesOf = ({ shape, columns }: RowSource, row: Row): Values => {
  const slot = row[Slot]
  if (slot < 0) return row[LastValues] ?? {}
  const values: Record<string, unknown> = {}
  for (const { name, index } of shape.fields) {
    const column = columns[index]
    if (column === undefined) continue
    values[name] = column.get(slot)
    if (values[name] === undefined) noteUnknown(values, name, column.placeAt(slot))
  }
  return values
}

/** The source that a class of records reads and writes. */
export interface RowSource {
  readonly shape: StateShape
  readonly columns: ReadonlyArray<Column>
  /** Whether records can be assigned. */
  readonly writable: boolean
  /** Throws `FieldError` while nothing can be changed. */
  demandUnlocked(): void
  /** Hears of every field that changed. */
  mark(row: Row, index: number): void
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

    get [Unknown](): HasUnknown[typeof Unknown] {
      return valuesOf(source, this)[Unknown]
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
        return slot >= 0 ? column.get(slot) : this[LastValues]?.[name]
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
    source.demandUnlocked()
    if (column.set(slot, value)) source.mark(this, index)
  }

import type { AnyField } from "../schema/Field.ts"
import { FieldError } from "../schema/FieldError.ts"
import { Wire } from "../schema/Wire.ts"
import { declaredPart } from "./DeclaredPart.ts"
import { sameStored } from "./FieldCodec.ts"
import type { RoomColumn } from "./RoomColumn.ts"
import type { RoomTable } from "./RoomTable.ts"
import { SingletonId, Slot, type Row } from "./Row.ts"
import type { StateTables } from "./StateTables.ts"

/**
 * Copies a state into the tables of another schema, which hold the defaults: shapes and fields by name,
 * ids as they are. Nothing is lost on the way. Throws `FieldError` for a value that its field does not
 * hold exactly, and for one that has no field and is not the default. Source: C-681.
 */
export const migrateTables = (from: StateTables<RoomTable>, to: StateTables<RoomTable>): void => {
  copyTables(from.singletons, to.singletons)
  copyTables(from.collections, to.collections)
}

const copyTables = (from: ReadonlyArray<RoomTable>, to: ReadonlyArray<RoomTable>): void => {
  const byName = new Map(to.map((table) => [table.shape.name, table]))
  for (const source of from) {
    const target = byName.get(source.shape.name)
    if (target === undefined) leave(source)
    else copyTable(source, target)
  }
}

/** One field on its way; without a column to go to its values must be the default. */
interface Move {
  readonly path: string
  readonly field: AnyField
  readonly from: RoomColumn
  readonly to: RoomColumn | undefined
}

const copyTable = (source: RoomTable, target: RoomTable): void => {
  const moves = movesOf(source, target)
  for (const row of source.rows.values()) {
    copyRow(moves, row, target.rows.get(row.id) ?? target.create(row.id))
  }
  target.nextId = source.nextId
}

const movesOf = (source: RoomTable, target: RoomTable | null): ReadonlyArray<Move> => {
  const columns = new Map(
    target?.shape.fields.map(({ name, index }) => [name, target.columns[index]])
  )
  return source.shape.fields.flatMap(({ name, index, field }) => {
    const from = source.columns[index]
    const path = `${source.shape.name}.${name}`
    return from === undefined ? [] : [{ path, field, from, to: columns.get(name) }]
  })
}

const copyRow = (moves: ReadonlyArray<Move>, from: Row, to: Row): void => {
  for (const move of moves) {
    const value = move.from.frozen(from[Slot])
    if (move.to !== undefined) move.to.load(to[Slot], declaredPart(move.to.field, value))
    const kept = move.to === undefined ? move.field.default : move.to.frozen(to[Slot])
    if (loses(move.field, value, kept)) throw new FieldError(`${move.path}: a value would be lost`)
  }
}

/** A table that the other schema does not have must hold nothing but defaults, and never have had a record. */
const leave = (source: RoomTable): void => {
  const moves = movesOf(source, null)
  for (const row of source.rows.values()) {
    if (row.id !== SingletonId) throw new FieldError(`${source.shape.name}: records would be lost`)
    copyRow(moves, row, row)
  }
  if (source.nextId > 1) throw new FieldError(`${source.shape.name}: its ids would be lost`)
}

/** Whether a value has a part that is not in what was kept of it, and that is not the default. */
const loses = (field: AnyField, value: unknown, kept: unknown): boolean => {
  const { item, wire } = field
  if (wire === Wire.struct) {
    return field.fields.some(({ name, field: part }) => {
      const found = Object.hasOwn(Object(kept), name)
        ? Reflect.get(Object(kept), name)
        : part.default
      return loses(part, Reflect.get(Object(value), name), found)
    })
  }
  if (item === null || value === undefined || kept === undefined) return !sameStored(kept, value)
  if (wire === Wire.optional) return loses(item, value, kept)
  const [values, found] = [value, kept].map(entriesOf)
  if (values?.size !== found?.size) return true
  return [...(values ?? [])].some(([key, held]) => loses(item, held, found?.get(key)))
}

/** Items by place, or the entries of a map. */
const entriesOf = (value: unknown): ReadonlyMap<unknown, unknown> =>
  new Map(Array.isArray(value) ? value.entries() : Object(value))

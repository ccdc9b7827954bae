import { FieldError } from "../schema/FieldError.ts"
import type { Column } from "./Column.ts"
import { sameStored } from "./FieldCodec.ts"
import { SingletonId, Slot, type Row } from "./Row.ts"
import type { StateTables } from "./StateTables.ts"
import type { Table } from "./Table.ts"

/**
 * Copies a state into the tables of another schema, which hold the defaults: shapes and fields by name,
 * ids as they are. Nothing is lost on the way. Throws `FieldError` for a value that its field does not
 * hold exactly, and for one that has no field and is not the default. Source: C-681.
 */
export const migrateTables = (from: StateTables, to: StateTables): void => {
  copyTables(from.singletons, to.singletons)
  copyTables(from.collections, to.collections)
}

const copyTables = (from: ReadonlyArray<Table>, to: ReadonlyArray<Table>): void => {
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
  readonly from: Column
  readonly to: Column | undefined
  readonly default: unknown
}

const copyTable = (source: Table, target: Table): void => {
  const moves = movesOf(source, target)
  for (const row of source.rows.values()) {
    copyRow(moves, row, target.rows.get(row.id) ?? target.create(row.id))
  }
  target.nextId = source.nextId
}

const movesOf = (source: Table, target: Table | null): ReadonlyArray<Move> => {
  const columns = new Map(
    target?.shape.fields.map(({ name, index }) => [name, target.columns[index]])
  )
  return source.shape.fields.flatMap(({ name, index, field }) => {
    const from = source.columns[index]
    const path = `${source.shape.name}.${name}`
    return from === undefined ? [] : [{ path, from, to: columns.get(name), default: field.default }]
  })
}

const copyRow = (moves: ReadonlyArray<Move>, from: Row, to: Row): void => {
  for (const move of moves) {
    const value = move.from.get(from[Slot])
    move.to?.set(to[Slot], value)
    const kept = move.to === undefined ? move.default : move.to.get(to[Slot])
    if (!sameStored(kept, value)) throw new FieldError(`${move.path}: a value would be lost`)
  }
}

/** A table that the other schema does not have must hold nothing but defaults, and never have had a record. */
const leave = (source: Table): void => {
  const moves = movesOf(source, null)
  for (const row of source.rows.values()) {
    if (row.id !== SingletonId) throw new FieldError(`${source.shape.name}: records would be lost`)
    copyRow(moves, row, row)
  }
  if (source.nextId > 1) throw new FieldError(`${source.shape.name}: its ids would be lost`)
}

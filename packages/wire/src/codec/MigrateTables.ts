import { Slot, type Row } from "./Row.ts"
import { singletonRow, type StateTables } from "./StateTables.ts"
import type { Table } from "./Table.ts"

/**
 * Copies a state into the tables of another schema, which hold the defaults: shapes and fields by
 * name, ids as they are. Throws `FieldError` for a value that its field does not take.
 */
export const migrateTables = (from: StateTables, to: StateTables): void => {
  for (const table of to.singletons) {
    const source = from.singletons.find(({ shape }) => shape.name === table.shape.name)
    if (source !== undefined) copyRow(source, singletonRow(source), [table, singletonRow(table)])
  }
  for (const table of to.collections) {
    const source = from.collections.find(({ shape }) => shape.name === table.shape.name)
    if (source === undefined) continue
    for (const row of source.rows.values()) copyRow(source, row, [table, table.create(row.id)])
    table.nextId = source.nextId
  }
}

const copyRow = (source: Table, from: Row, [table, to]: readonly [Table, Row]): void => {
  for (const { name, index } of table.shape.fields) {
    const before = source.shape.fields.find((field) => field.name === name)
    if (before === undefined) continue
    const value = source.columns[before.index]?.get(from[Slot])
    table.columns[index]?.set(to[Slot], value)
  }
}

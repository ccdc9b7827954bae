import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { SingletonId, type Row } from "./Row.ts"
import { Table, type TableOwner } from "./Table.ts"

/** All tables of one state, in wire order. */
export interface StateTables {
  readonly singletons: ReadonlyArray<Table>
  readonly collections: ReadonlyArray<Table>
}

/** Makes the tables of a schema: singletons with their defaults, collections empty. */
export const makeTables = (schema: AnyRoomSchema, owner: TableOwner): StateTables => {
  const singletons = schema.singletons.list.map((shape) => new Table(shape, owner))
  for (const table of singletons) table.create(SingletonId)
  return {
    singletons,
    collections: schema.collections.list.map((shape) => new Table(shape, owner))
  }
}

/** Those of the tables that a schema has, whose shapes are the first ones. */
export const firstTables = (
  { singletons, collections }: StateTables,
  schema: AnyRoomSchema
): StateTables => ({
  singletons: singletons.slice(0, schema.singletons.list.length),
  collections: collections.slice(0, schema.collections.list.length)
})

/** The one row of a singleton. */
export const singletonRow = (table: Table): Row =>
  table.rows.get(SingletonId) ?? table.create(SingletonId)

/** Puts every singleton back to its defaults, takes every entity away; nothing is pending then. */
export const resetTables = (tables: StateTables): void => {
  for (const table of [...tables.singletons, ...tables.collections]) table.settle()
  for (const table of tables.singletons) table.resetRow(singletonRow(table))
  for (const table of tables.collections) {
    for (const row of table.rows.values()) table.release(row)
    table.rows.clear()
    table.nextId = 1
    table.lastId = 0
  }
}

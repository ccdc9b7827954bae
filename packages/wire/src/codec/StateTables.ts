import type { AnyRoomSchema, StateShape } from "../schema/RoomSchema.ts"
import { SingletonId, type Row } from "./Row.ts"
import type { Table } from "./Table.ts"

/** All tables of one state, in wire order. */
export interface StateTables<T extends Table = Table> {
  readonly singletons: ReadonlyArray<T>
  readonly collections: ReadonlyArray<T>
}

/** Makes the tables of a schema: singletons with their defaults, collections empty. */
export const makeTables = <T extends Table>(
  schema: AnyRoomSchema,
  make: (shape: StateShape) => T
): StateTables<T> => {
  const singletons = schema.singletons.list.map(make)
  for (const table of singletons) table.create(SingletonId)
  return { singletons, collections: schema.collections.list.map(make) }
}

/** Those of the tables that a schema has, whose shapes are the first ones. */
export const firstTables = <T extends Table>(
  { singletons, collections }: StateTables<T>,
  schema: AnyRoomSchema
): StateTables<T> => ({
  singletons: singletons.slice(0, schema.singletons.list.length),
  collections: collections.slice(0, schema.collections.list.length)
})

/** The one row of a singleton. */
export const singletonRow = (table: Table): Row =>
  table.rows.get(SingletonId) ?? table.create(SingletonId)

import { FieldError } from "../schema/FieldError.ts"
import { checkKeys, demandFit } from "./RecordCodec.ts"
import type { RoomTable } from "./RoomTable.ts"
import { Slot, type Row } from "./Row.ts"
import { singletonRow, type StateTables } from "./StateTables.ts"
import { EntityIdMax } from "./Table.ts"

/** A record of a state with its values by name; an entity has its `id` beside them. */
export type PlainRecord = Readonly<Record<string, unknown>>

/** A state as plain values: a record for each singleton, a list of records for each collection. */
export type PlainState = Readonly<Record<string, PlainRecord | ReadonlyArray<PlainRecord>>>

/** The values of a state, frozen: who changes them makes new ones. Bytes are copies. */
export const plainOf = ({ singletons, collections }: StateTables<RoomTable>): PlainState =>
  Object.freeze(
    Object.fromEntries([
      ...singletons.map((table) => [table.shape.name, recordOf(table, singletonRow(table), {})]),
      ...collections.map((table) => [
        table.shape.name,
        Object.freeze(
          Array.from(table.rows.values(), (row) => recordOf(table, row, { id: row.id }))
        )
      ])
    ])
  )

const recordOf = ({ shape, columns }: RoomTable, row: Row, record: Record<string, unknown>) => {
  for (const { name, index } of shape.fields) record[name] = columns[index]?.frozen(row[Slot])
  return Object.freeze(record)
}

/**
 * Puts plain values into tables that hold the defaults. A record without an id gets the next one; each
 * collection goes on with the id that `nextIdOf` says, or with a higher one.
 *
 * Errors: `FieldError` that names the value that is missing, does not fit, or is not declared.
 */
export const fillTables = (
  { singletons, collections }: StateTables<RoomTable>,
  state: unknown,
  nextIdOf: (collection: string) => number
): void => {
  const parts = objectAt("the state", state)
  const names = [...singletons, ...collections].map(({ shape }) => shape.name)
  const stray = Object.keys(parts).find((name) => !names.includes(name))
  if (stray !== undefined) throw new FieldError(`${stray}: the schema has no such state`)
  for (const table of singletons) {
    const { name } = table.shape
    fill(table, singletonRow(table), { path: name, record: objectAt(name, parts[name]) })
  }
  for (const table of collections) {
    const { name } = table.shape
    fillCollection(table, listAt(name, parts[name]), nextIdOf(name))
  }
}

const fillCollection = (table: RoomTable, list: ReadonlyArray<unknown>, nextId: number): void => {
  const { name } = table.shape
  const records = list.map((value, place) => {
    const path = `${name}[${place}]`
    const { id, ...record } = objectAt(path, value)
    return { path, record, id: id === undefined ? null : idAt(path, id) }
  })
  const named = records.flatMap(({ id }) => id ?? [])
  const twice = new Set<number>()
  for (const id of named) {
    if (twice.has(id)) throw new FieldError(`${name}: two records have the id ${id}`)
    twice.add(id)
  }
  let next = named.reduce((max, id) => Math.max(max, id + 1), nextId)
  // A table holds its rows in the order of their ids.
  const numbered = records.map(({ id, ...rest }) => ({ ...rest, id: id ?? next++ }))
  if (next > EntityIdMax) throw new FieldError(`${name}: no entity id is left`)
  for (const { id, ...rest } of numbered.toSorted((one, other) => one.id - other.id)) {
    fill(table, table.create(id), rest)
  }
  table.nextId = next
}

interface Given {
  readonly path: string
  readonly record: PlainRecord
}

const fill = ({ shape, columns }: RoomTable, row: Row, { path, record }: Given): void => {
  checkKeys(shape.fields, record, path)
  for (const { name, index, field } of shape.fields) {
    const value = record[name]
    demandFit(`${path}.${name}`, field, value)
    columns[index]?.load(row[Slot], value)
  }
}

const objectAt = (path: string, value: unknown): Record<string, unknown> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FieldError(`${path}: ${value === undefined ? "is missing" : "must be an object"}`)
  }
  return { ...value }
}

const listAt = (path: string, value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value
  throw new FieldError(
    `${path}: ${value === undefined ? "is missing" : "must be a list of records"}`
  )
}

const idAt = (path: string, value: unknown): number => {
  const fits = typeof value === "number" && Number.isInteger(value)
  if (fits && value >= 1 && value < EntityIdMax) return value
  throw new FieldError(`${path}.id: must be a whole number from 1 on`)
}

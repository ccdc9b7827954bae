import { FieldError, problemAt } from "../schema/FieldError.ts"
import { checkKeys } from "./RecordCodec.ts"
import type { RoomTable } from "./RoomTable.ts"
import type { Row } from "./Row.ts"
import type { Table } from "./Table.ts"

/** A collection as a client reads it. */
export class ViewCollection {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  get size(): number {
    return this.#table.rows.size
  }

  get(id: number): Row | undefined {
    return this.#table.rows.get(id)
  }

  has(id: number): boolean {
    return this.#table.rows.has(id)
  }

  [Symbol.iterator](): IterableIterator<Row> {
    return this.#table.rows.values()
  }

  toJSON(): ReadonlyArray<Row> {
    return [...this]
  }
}

/** A collection as room code changes it. */
export class RoomCollection extends ViewCollection {
  readonly #table: RoomTable

  constructor(table: RoomTable) {
    super(table)
    this.#table = table
  }

  /** Everything is checked before anything is there. */
  add(values: object = {}): Row {
    const { name, fields } = this.#table.shape
    const given = fields.map((field): unknown => Reflect.get(values, field.name))
    checkKeys(fields, values, name)
    for (const { name: fieldName, index, field } of fields) {
      const problem = given[index] === undefined ? null : field.check(given[index])
      if (problem !== null) throw new FieldError(problemAt(`${name}.${fieldName}`, problem))
    }
    const row = this.#table.add()
    for (const { name: fieldName, index } of fields) {
      if (given[index] !== undefined) Reflect.set(row, fieldName, given[index], row)
    }
    return row
  }

  remove(id: number): boolean {
    return this.#table.remove(id)
  }

  clear(): void {
    for (const id of this.#table.rows.keys()) this.#table.remove(id)
  }
}

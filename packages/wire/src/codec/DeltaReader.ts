import type { ByteReader } from "./ByteReader.ts"
import type { Column } from "./Column.ts"
import { readMask } from "./Mask.ts"
import { readRuns, type Run } from "./Runs.ts"
import { singletonRow, type StateTables } from "./StateTables.ts"
import type { Table } from "./Table.ts"

/** Applies a delta. Throws `CodecError`; what was read before the fault has been applied then. */
export const readDelta = (reader: ByteReader, tables: StateTables): void => {
  const singletons = tables.singletons.length
  while (reader.remaining > 0) {
    const section = reader.varuint()
    const singleton = tables.singletons[section]
    const collection = tables.collections[section - singletons]
    if (singleton !== undefined) {
      const columns = readMask(reader, singleton.columns)
      singleton.readChanges(reader, singletonRow(singleton), columns)
    } else if (collection !== undefined) {
      readCollectionDelta(reader, collection)
    } else {
      reader.fail(`section ${section} of ${singletons + tables.collections.length}`)
    }
  }
}

const readCollectionDelta = (reader: ByteReader, table: Table): void => {
  for (const run of readRuns(reader)) {
    // The first unknown id ends this, so that a long run costs no more than the rows there are.
    for (let id = run.first; id <= run.last; id += 1) {
      const row = table.rows.get(id)
      if (row === undefined) return reader.fail(`${table.shape.name} ${id} removed but not there`)
      table.rows.delete(id)
      table.release(row)
    }
  }
  const groups = reader.varuint()
  let ascending = true
  for (let group = 0; group < groups; group += 1) {
    const columns = readMask(reader, table.columns)
    const runs = readRuns(reader)
    checkCost(reader, columns, runs)
    for (const run of runs) {
      for (let id = run.first; id <= run.last; id += 1) {
        let row = table.rows.get(id)
        if (row === undefined) {
          if (id < table.lastId) ascending = false
          row = table.create(id)
        }
        table.readChanges(reader, row, columns)
      }
    }
  }
  if (!ascending) table.rows = new Map([...table.rows].sort(([a], [b]) => a - b))
}

/** Every entity must have been paid for in bytes, or a short delta could fill the memory. */
const checkCost = (
  reader: ByteReader,
  columns: ReadonlyArray<Column>,
  runs: ReadonlyArray<Run>
): void => {
  let entities = 0
  for (const run of runs) entities += run.last - run.first + 1
  const paid = columns.length === 0 ? runs.length : reader.remaining
  if (entities > paid) reader.fail(`${entities} entities in ${paid} bytes or runs`)
}

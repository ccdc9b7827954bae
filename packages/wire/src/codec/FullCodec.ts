import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { Slot, type Row } from "./Row.ts"
import { singletonRow, type StateTables } from "./StateTables.ts"
import { EntityIdMax, type Table } from "./Table.ts"

/** Writes a full state: equal states give equal bytes. */
export const writeFull = (writer: ByteWriter, tables: StateTables): void => {
  for (const table of tables.singletons) writeFullSingleton(writer, table)
  for (const table of tables.collections) writeFullCollection(writer, table)
}

export const writeFullSingleton = (writer: ByteWriter, table: Table): void =>
  writeRow(writer, table, singletonRow(table))

export const writeFullCollection = (writer: ByteWriter, table: Table): void => {
  writer.varuint(table.rows.size)
  let before = 0
  for (const row of table.rows.values()) {
    writer.varuint(row.id - before - 1)
    before = row.id
    writeRow(writer, table, row)
  }
}

/**
 * Reads a full state in place of what the tables hold. Records of entities that are still there
 * stay the same objects. Throws `CodecError`; the tables are of use again after the next full state.
 */
export const readFull = (reader: ByteReader, tables: StateTables): void => {
  for (const table of tables.singletons) table.readRow(reader, singletonRow(table))
  for (const table of tables.collections) readCollection(reader, table)
}

const writeRow = (writer: ByteWriter, table: Table, row: Row): void => {
  for (const column of table.columns) column.write(writer, row[Slot])
}

const readCollection = (reader: ByteReader, table: Table): void => {
  const count = reader.varuint()
  if (count > reader.remaining) reader.fail(`${count} entities in ${reader.remaining} bytes`)
  const known = table.rows
  table.rows = new Map()
  try {
    let id = 0
    for (let index = 0; index < count; index += 1) {
      id += 1 + reader.varuint()
      if (id > EntityIdMax) reader.fail(`an id over ${EntityIdMax}`)
      const row = known.get(id) ?? table.create(id)
      known.delete(id)
      table.rows.set(id, row)
      table.readRow(reader, row)
    }
  } finally {
    for (const row of known.values()) table.release(row)
  }
}

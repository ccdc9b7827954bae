import { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { readFull, writeFull } from "./FullCodec.ts"
import type { RoomTable } from "./RoomTable.ts"
import type { StateTables } from "./StateTables.ts"

/** Writes the next entity ids and the full state. */
export const writeSnapshot = (writer: ByteWriter, tables: StateTables<RoomTable>): void => {
  for (const table of tables.collections) writer.varuint(table.nextId)
  writeFull(writer, tables)
}

/** Reads the same into tables that hold the defaults. Throws `CodecError`. */
export const readSnapshot = (bytes: Uint8Array, tables: StateTables<RoomTable>): void => {
  const reader = new ByteReader(bytes)
  const nextIds = tables.collections.map(() => reader.varuint())
  readFull(reader, tables)
  reader.end()
  for (const [place, table] of tables.collections.entries()) {
    const nextId = nextIds[place] ?? 0
    if (nextId <= table.lastId) reader.fail(`${table.shape.name}: the next id is ${nextId}`)
    table.nextId = nextId
  }
}

import type { SchemaDescriptor } from "../schema/Descriptor.ts"
import { fromDescriptor } from "../schema/FromDescriptor.ts"
import { schemaHash } from "../schema/SchemaHash.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { migrateTables } from "./MigrateTables.ts"
import { fillTables, plainOf, type PlainState } from "./PlainState.ts"
import { RoomTable } from "./RoomTable.ts"
import { readSnapshot, writeSnapshot } from "./SnapshotCodec.ts"
import { makeTables, type StateTables } from "./StateTables.ts"

/** A change of a room's state by code. */
export interface StateChange {
  /** The schema that the state is stored with; it goes to that of `from` by name. */
  readonly stored: SchemaDescriptor
  readonly from: SchemaDescriptor
  readonly to: SchemaDescriptor
  /** Makes the state of `to` from that of `from`, which is frozen. Nobody vouches for what it returns. */
  readonly change: (old: PlainState) => unknown
}

/**
 * Changes a snapshot's state, as `encodeSnapshot` wrote it. No entity id comes again: a collection goes on
 * with the ids of its namesake, and one that is new begins beyond those of all others.
 *
 * Errors: `CodecError` for the bytes, `SchemaError` for a descriptor, `FieldError` for a value that its field
 * does not take, and what `change` throws.
 */
export const migrateState = (
  bytes: Uint8Array,
  { stored, from, to, change }: StateChange
): Uint8Array => {
  const before = tablesOf(stored)
  readSnapshot(bytes, before.tables)
  const old = before.hash === schemaHash(fromDescriptor(from)) ? before : tablesOf(from)
  if (old !== before) migrateTables(before.tables, old.tables)
  const { tables } = tablesOf(to)
  fillTables(tables, change(plainOf(old.tables)), nextIdsOf(old.tables))
  const writer = new ByteWriter()
  writeSnapshot(writer, tables)
  return writer.finish()
}

/**
 * A snapshot's state as plain values.
 *
 * Errors: `CodecError` for the bytes, `SchemaError` for the descriptor.
 */
export const readPlainState = (bytes: Uint8Array, schema: SchemaDescriptor): PlainState => {
  const { tables } = tablesOf(schema)
  readSnapshot(bytes, tables)
  return plainOf(tables)
}

const tablesOf = (descriptor: SchemaDescriptor) => {
  const schema = fromDescriptor(descriptor)
  const owner = { locked: false, touch: () => {} }
  const tables = makeTables(schema, (shape) => new RoomTable(shape, owner))
  return { hash: schemaHash(schema), tables }
}

const nextIdsOf = ({ collections }: StateTables<RoomTable>): ((collection: string) => number) => {
  const ids = new Map(collections.map(({ shape, nextId }) => [shape.name, nextId]))
  const beyond = Math.max(1, ...ids.values())
  return (collection) => ids.get(collection) ?? beyond
}

import type { ViewOf } from "../schema/Inference.ts"
import type { AnyRoomSchema, StateShape } from "../schema/RoomSchema.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { readDelta } from "./DeltaReader.ts"
import { readFull, writeFull } from "./FullCodec.ts"
import { ViewCollection } from "./RoomCollection.ts"
import { makeTables, singletonRow } from "./StateTables.ts"
import { Table } from "./Table.ts"

/** A client's copy of a room's state. After a `CodecError` only `applyFull` makes it whole again. */
export interface StateView<S extends AnyRoomSchema> {
  readonly state: ViewOf<S>
  /** Replaces everything. Records of entities that are still there stay the same objects. */
  applyFull(bytes: Uint8Array): void
  applyDelta(bytes: Uint8Array): void
  /** The bytes of the room's `encodeFull` when the states are equal. */
  encodeFull(): Uint8Array
}

/**
 * Makes an empty view: singletons with their defaults, no entities.
 *
 * @param makeTable makes its tables, for a view that notes what is read into it
 */
export const makeStateView = <S extends AnyRoomSchema>(
  schema: S,
  makeTable = (shape: StateShape): Table => new Table(shape)
): StateView<S> => {
  const tables = makeTables(schema, makeTable)
  const writer = new ByteWriter()
  const state = Object.freeze(
    Object.fromEntries([
      ...tables.singletons.map((table) => [table.shape.name, singletonRow(table)]),
      ...tables.collections.map((table) => [table.shape.name, new ViewCollection(table)])
    ])
    // The tables are made of the very schema that S describes; StateView.test.ts holds them to it.
  ) as ViewOf<S>
  return {
    state,
    applyFull: (bytes) => {
      const reader = new ByteReader(bytes)
      readFull(reader, tables)
      reader.end()
    },
    applyDelta: (bytes) => readDelta(new ByteReader(bytes), tables),
    encodeFull: () => {
      writer.reset()
      writeFull(writer, tables)
      return writer.finish()
    }
  }
}

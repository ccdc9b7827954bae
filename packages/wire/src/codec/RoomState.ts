import type { SchemaDescriptor } from "../schema/Descriptor.ts"
import { fromDescriptor } from "../schema/FromDescriptor.ts"
import type { StateOf } from "../schema/Inference.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { writeCollectionDelta, writeSingletonDelta } from "./DeltaWriter.ts"
import { writeFull } from "./FullCodec.ts"
import { migrateTables } from "./MigrateTables.ts"
import { RoomCollection } from "./RoomCollection.ts"
import { RoomTable, type TableOwner } from "./RoomTable.ts"
import { readSnapshot, writeSnapshot } from "./SnapshotCodec.ts"
import { firstTables, makeTables, singletonRow, type StateTables } from "./StateTables.ts"

/** The state of one room, and its encodings. */
export interface RoomState<S extends AnyRoomSchema> {
  readonly state: StateOf<S>
  readonly tables: StateTables<RoomTable>
  /** The tables that clients are told of: the first ones of each kind. */
  readonly shown: StateTables<RoomTable>
  /** While it is true, nothing can be changed: a change throws `FieldError`. */
  locked: boolean
  /** True from the first change until the next `encodeDelta`, `discardDelta` or load. */
  readonly dirty: boolean
  /**
   * The full state, for a welcome and for `stateHash`. Throws while changes are pending: a client
   * that got them now, and not their undoing in the next delta, would keep an entity that is gone.
   * Call `encodeDelta` first, and send that to the clients that are already there.
   */
  encodeFull(): Uint8Array
  /** What changed since the last call, `null` when nothing did; nothing is pending afterwards. */
  encodeDelta(): Uint8Array | null
  /** Forgets what is pending. Only while no client is there: nobody will ever be told. */
  discardDelta(): void
  /** The next entity ids and the full state, for storage. Pending changes are in it, and stay pending. */
  encodeSnapshot(): Uint8Array
  /** Replaces the state; nothing is pending afterwards. Throws `CodecError` and leaves the defaults. */
  loadSnapshot(bytes: Uint8Array): void
  /**
   * Replaces the state by a snapshot of another schema: values go by name, what is new has its
   * default. What is declared no more must hold its defaults: nothing is left behind.
   *
   * Errors, all of which leave the defaults: `SchemaError` for the descriptor, `CodecError` for the
   * bytes, `FieldError` for a value that this schema does not hold exactly, or has no field for.
   */
  migrateSnapshot(old: SchemaDescriptor, bytes: Uint8Array): void
}

export interface RoomStateOptions {
  /** Called once, at the first change after the start, `encodeDelta`, `discardDelta` or a load. */
  readonly onDirty?: () => void
  /** What clients are told of, when that is less than all: the schema begins with its shapes. */
  readonly shown?: AnyRoomSchema
}

/** Makes the state of a room: singletons with their defaults, collections empty. */
export const makeRoomState = <S extends AnyRoomSchema>(
  schema: S,
  options?: RoomStateOptions
): RoomState<S> => new TableState(schema, options)

class TableState<S extends AnyRoomSchema> implements RoomState<S>, TableOwner {
  locked = false
  readonly state: StateOf<S>
  readonly tables: StateTables<RoomTable>
  readonly shown: StateTables<RoomTable>
  readonly #onDirty: (() => void) | undefined
  readonly #writer = new ByteWriter()
  #dirty = false

  constructor(schema: S, { onDirty, shown }: RoomStateOptions = {}) {
    this.#onDirty = onDirty
    this.tables = makeTables(schema, (shape) => new RoomTable(shape, this))
    this.shown = shown === undefined ? this.tables : firstTables(this.tables, shown)
    this.state = Object.freeze(
      Object.fromEntries([
        ...this.tables.singletons.map((table) => [table.shape.name, singletonRow(table)]),
        ...this.tables.collections.map((table) => [table.shape.name, new RoomCollection(table)])
      ])
      // The tables are made of the very schema that S describes; RoomState.test.ts holds them to it.
    ) as StateOf<S>
  }

  get dirty(): boolean {
    return this.#dirty
  }

  touch(): void {
    if (this.#dirty) return
    this.#dirty = true
    this.#onDirty?.()
  }

  encodeFull(): Uint8Array {
    if (this.#dirty) throw new Error("encodeFull while changes are pending: call encodeDelta first")
    this.#writer.reset()
    writeFull(this.#writer, this.shown)
    return this.#writer.finish()
  }

  encodeDelta(): Uint8Array | null {
    if (!this.#dirty) return null
    const writer = this.#writer
    writer.reset()
    const { singletons, collections } = this.shown
    for (const [place, table] of singletons.entries()) writeSingletonDelta(writer, table, place)
    for (const [place, table] of collections.entries()) {
      writeCollectionDelta(writer, table, singletons.length + place)
    }
    this.discardDelta()
    return writer.length === 0 ? null : writer.finish()
  }

  discardDelta(): void {
    for (const table of this.tables.singletons) table.settle()
    for (const table of this.tables.collections) table.settle()
    this.#dirty = false
  }

  encodeSnapshot(): Uint8Array {
    this.#writer.reset()
    writeSnapshot(this.#writer, this.tables)
    return this.#writer.finish()
  }

  loadSnapshot(bytes: Uint8Array): void {
    this.#replace(() => readSnapshot(bytes, this.tables))
  }

  migrateSnapshot(old: SchemaDescriptor, bytes: Uint8Array): void {
    this.#replace(() => {
      const before = new TableState(fromDescriptor(old))
      before.loadSnapshot(bytes)
      migrateTables(before.tables, this.tables)
    })
  }

  /** Starts from the defaults, and ends there if the work fails. */
  #replace(work: () => void): void {
    resetTables(this.tables)
    try {
      work()
    } catch (fault) {
      resetTables(this.tables)
      throw fault
    } finally {
      this.#dirty = false
    }
  }
}

/** Puts every singleton back to its defaults, takes every entity away; nothing is pending then. */
const resetTables = (tables: StateTables<RoomTable>): void => {
  for (const table of [...tables.singletons, ...tables.collections]) table.settle()
  for (const table of tables.singletons) table.resetRow(singletonRow(table))
  for (const table of tables.collections) {
    for (const row of table.rows.values()) table.release(row)
    table.rows.clear()
    table.nextId = 1
    table.lastId = 0
  }
}

import { makeRoomState, type RoomState } from "@atrium/wire/codec"
import { ByteReader } from "@atrium/wire/codec/ByteReader"
import { RoomCollection } from "@atrium/wire/codec/RoomCollection"
import type { AnyRoomSchema, StateShape } from "@atrium/wire/schema"

import { fieldBytesOf, shapesOf } from "./RelayFieldSizes.ts"
import type { RelayWrite } from "./RelayState.ts"
import type { StoredTable } from "./RelayTables.ts"

/** The values of a relay room, encoded for its clients and its snapshots. The machine has the rules. */
export class RelayContents {
  readonly shapes: ReadonlyArray<StateShape>
  readonly #state: RoomState<AnyRoomSchema>
  /** A collection, or the record of a singleton, in wire order. */
  readonly #tables: ReadonlyArray<object>
  #full: Uint8Array | null = null

  constructor(schema: AnyRoomSchema, onDirty: () => void) {
    this.shapes = shapesOf(schema)
    this.#state = makeRoomState(schema, {
      onDirty: () => {
        this.#full = null
        onDirty()
      }
    })
    this.#tables = this.shapes.map(({ name }) => Object(Reflect.get(this.#state.state, name)))
  }

  get dirty(): boolean {
    return this.#state.dirty
  }

  /** Carries out the ops of a write, which the machine has accepted. */
  apply({ ops, values }: RelayWrite): void {
    for (const [place, op] of ops.entries()) {
      const table = this.#tables[op.table]
      const given = values[place] ?? {}
      if (table === undefined) continue
      const collection = table instanceof RoomCollection ? table : null
      switch (op._tag) {
        case "Add":
          collection?.add(given)
          break
        case "Remove":
          collection?.remove(op.key)
          break
        case "Set": {
          const record = collection === null ? table : collection.get(op.key)
          if (record !== undefined) Object.assign(record, given)
        }
      }
    }
  }

  /** The full state. Nothing may be pending. */
  full(): Uint8Array {
    this.#full ??= this.#state.encodeFull()
    return this.#full
  }

  delta(): Uint8Array | null {
    return this.#state.encodeDelta()
  }

  discardDelta(): void {
    this.#state.discardDelta()
  }

  snapshot(): Uint8Array {
    return this.#state.encodeSnapshot()
  }

  /**
   * Replaces the values by stored ones.
   *
   * @param ownerOf the session that owns a record of the named collection
   * @returns the records of each table, for the machine
   * Errors: `CodecError` for bytes of another schema.
   */
  load(
    bytes: Uint8Array,
    ownerOf: (collection: string, key: number) => string | null
  ): ReadonlyArray<StoredTable> {
    this.#state.loadSnapshot(bytes)
    this.#full = null
    const reader = new ByteReader(bytes)
    return this.shapes.map(({ name, fields }, place): StoredTable => {
      const table = this.#tables[place]
      if (!(table instanceof RoomCollection)) {
        const fieldBytes = table === undefined ? [] : fieldBytesOf(fields, table)
        return { records: [{ id: 0, owner: null, fieldBytes }], nextId: 1 }
      }
      const records = [...table].map((row) => {
        return { id: row.id, owner: ownerOf(name, row.id), fieldBytes: fieldBytesOf(fields, row) }
      })
      return { records, nextId: reader.varuint() }
    })
  }
}

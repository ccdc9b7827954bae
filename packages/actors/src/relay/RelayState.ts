import { makeRoomState, type RoomState } from "@atrium/wire/codec"
import { ByteReader } from "@atrium/wire/codec/ByteReader"
import { RoomCollection } from "@atrium/wire/codec/RoomCollection"
import type { AnyRoomSchema, StateShape } from "@atrium/wire/schema"

import type { RelayOps } from "./RelayOps.ts"
import type { RelayTables } from "./RelayTablesMachine.ts"
import { fieldBytesOf, shapesOf } from "./RelayValues.ts"

/** The values of a relay room: what the rules have let through is carried out here. */
export class RelayState {
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

  /** Carries out ops that the rules have found good, in order. */
  apply({ ops, values }: RelayOps): void {
    for (const [place, op] of ops.entries()) {
      const table = this.#tables[op.table]
      const given = values[place] ?? {}
      if (op.op === "add" && table instanceof RoomCollection) table.add(given)
      else if (op.op === "remove" && table instanceof RoomCollection) table.remove(op.key)
      else if (op.op === "set" && table !== undefined) {
        const record = table instanceof RoomCollection ? table.get(op.key) : table
        if (record !== undefined) Object.assign(record, given)
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
   * Replaces the state by a stored one, and tells the rules of its records.
   *
   * @param ownerOf the session that owns a record, of a collection by its name
   * Errors: `CodecError` for bytes of another schema.
   */
  load(
    bytes: Uint8Array,
    tables: RelayTables,
    ownerOf: (collection: string, key: number) => string | null
  ): void {
    this.#state.loadSnapshot(bytes)
    this.#full = null
    const reader = new ByteReader(bytes)
    for (const [place, shape] of this.shapes.entries()) {
      const table = tables.list[place]
      const values = this.#tables[place]
      if (table === undefined || values === undefined) continue
      if (!(values instanceof RoomCollection)) {
        const record = table.records.get(0)
        const fields = fieldBytesOf(shape.fields, values)
        if (record !== undefined) tables.set(record, [...fields.entries()])
        continue
      }
      for (const row of values) {
        const owner = ownerOf(shape.name, row.id)
        tables.restore(table, { id: row.id, owner, fieldBytes: fieldBytesOf(shape.fields, row) })
      }
      table.nextId = reader.varuint()
    }
    tables.settle()
  }
}

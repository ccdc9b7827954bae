import { readMask, readRowChange } from "./WireChanges.ts"
import {
  Bytes,
  defaultsOf,
  type Descriptor,
  type Field,
  fnv1a64,
  readRow,
  type Row,
  writeRow,
  writeVaruint
} from "./WireValues.ts"

interface Collection {
  readonly fields: ReadonlyArray<Field>
  rows: Map<number, Row>
}

/** A client's copy of a room's state, as somebody writes it from docs/protocol.md alone. */
export class WireState {
  readonly singletons: ReadonlyArray<{ readonly fields: ReadonlyArray<Field>; readonly row: Row }>
  readonly collections: ReadonlyArray<Collection>

  constructor(descriptor: Descriptor) {
    this.singletons = descriptor.singletons.map(({ fields }) => ({
      fields,
      row: defaultsOf(fields)
    }))
    this.collections = descriptor.entities.map(({ fields }) => ({ fields, rows: new Map() }))
  }

  applyFull(full: Uint8Array): void {
    const bytes = new Bytes(full)
    for (const { fields, row } of this.singletons) readRow(bytes, fields, row)
    for (const collection of this.collections) {
      collection.rows = new Map()
      let id = 0
      for (let count = bytes.varuint(); count > 0; count -= 1) {
        id += bytes.varuint() + 1
        collection.rows.set(id, readRow(bytes, collection.fields, {}))
      }
    }
    if (bytes.left > 0) throw new Error("a full state has bytes too many")
  }

  applyDelta(delta: Uint8Array): void {
    const bytes = new Bytes(delta)
    while (bytes.left > 0) {
      const index = bytes.varuint()
      const singleton = this.singletons[index]
      const collection = this.collections[index - this.singletons.length]
      if (singleton !== undefined) {
        readRowChange(bytes, readMask(bytes, singleton.fields), singleton.row)
      } else if (collection !== undefined) applyCollection(bytes, collection)
      else throw new Error(`there is no section ${index}`)
    }
  }

  encodeFull(): Uint8Array {
    const out: Array<number> = []
    for (const { fields, row } of this.singletons) writeRow(out, fields, row)
    for (const { fields, rows } of this.collections) {
      writeVaruint(out, rows.size)
      let before = 0
      for (const [id, row] of [...rows].sort(([a], [b]) => a - b)) {
        writeVaruint(out, id - before - 1)
        before = id
        writeRow(out, fields, row)
      }
    }
    return Uint8Array.from(out)
  }

  hash(): string {
    return fnv1a64(this.encodeFull())
  }
}

const readIds = (bytes: Bytes): ReadonlyArray<number> => {
  const ids: Array<number> = []
  let last = 0
  for (let runs = bytes.varuint(); runs > 0; runs -= 1) {
    last += bytes.varuint()
    for (let length = bytes.varuint(); length > 0; length -= 1) ids.push((last += 1))
  }
  return ids
}

const applyCollection = (bytes: Bytes, { fields, rows }: Collection): void => {
  for (const id of readIds(bytes)) {
    if (!rows.delete(id)) throw new Error(`entity ${id} was removed and is not there`)
  }
  for (let groups = bytes.varuint(); groups > 0; groups -= 1) {
    const masked = readMask(bytes, fields)
    for (const id of readIds(bytes)) {
      const row = rows.get(id) ?? defaultsOf(fields)
      rows.set(id, readRowChange(bytes, masked, row))
    }
  }
}

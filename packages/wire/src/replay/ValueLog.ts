import type { ByteReader } from "../codec/ByteReader.ts"
import type { ByteWriter } from "../codec/ByteWriter.ts"
import type { Column } from "../codec/Column.ts"
import type { Row } from "../codec/Row.ts"
import { makeStateView, type StateView } from "../codec/StateView.ts"
import { Table } from "../codec/Table.ts"
import type { AnyRoomSchema, StateShape } from "../schema/RoomSchema.ts"
import { ReplayLimits } from "./ReplayLimits.ts"

/** Where the value of one field of one entity stands among the bytes of a delta. */
export interface ValuePlace {
  /** The field, by a number that no other field of the state has. */
  readonly column: number
  /** The entity, by the place that it has in memory. */
  readonly row: number
  readonly from: number
  readonly to: number
}

/** Notes where the values of a delta stand while a view reads it: the codec alone knows their layout. */
export class ValueLog {
  readonly view: StateView<AnyRoomSchema>
  #places: Array<ValuePlace> = []
  #columns = 0
  #left: number = ReplayLimits.packedValues.max

  constructor(schema: AnyRoomSchema) {
    const watch = (column: Column): Column => {
      const index = this.#columns
      this.#columns += 1
      return new WatchedColumn(column, (row, from, to) => {
        this.#left -= 1
        if (this.#left >= 0) this.#places.push({ column: index, row, from, to })
      })
    }
    class WatchedTable extends Table {
      protected override makeColumns(shape: StateShape): ReadonlyArray<Column> {
        return super.makeColumns(shape).map(watch)
      }
    }
    this.view = makeStateView(schema, (shape) => new WatchedTable(shape))
  }

  /**
   * Applies a delta to the view. Errors: `CodecError`.
   *
   * @returns its values, in their order; `null` = there have been too many since the start
   */
  read(delta: Uint8Array): ReadonlyArray<ValuePlace> | null {
    this.#places = []
    this.view.applyDelta(delta)
    return this.#left < 0 ? null : this.#places
  }
}

type Note = (row: number, from: number, to: number) => void

class WatchedColumn implements Column {
  readonly #column: Column
  readonly #note: Note

  constructor(column: Column, note: Note) {
    this.#column = column
    this.#note = note
  }

  get(slot: number, row: Row): unknown {
    return this.#column.get(slot, row)
  }

  whole(slot: number, row: Row): unknown {
    return this.#column.whole(slot, row)
  }

  reset(slot: number): void {
    this.#column.reset(slot)
  }

  release(slot: number): void {
    this.#column.release(slot)
  }

  grow(capacity: number): void {
    this.#column.grow(capacity)
  }

  write(writer: ByteWriter, slot: number): void {
    this.#column.write(writer, slot)
  }

  read(reader: ByteReader, slot: number): void {
    const from = reader.position
    this.#column.read(reader, slot)
    this.#note(slot, from, reader.position)
  }

  readDelta(reader: ByteReader, slot: number): void {
    const from = reader.position
    this.#column.readDelta(reader, slot)
    this.#note(slot, from, reader.position)
  }
}

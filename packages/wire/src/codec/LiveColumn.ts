import type { AnyField } from "../schema/Field.ts"
import { FieldError, problemAt } from "../schema/FieldError.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { readChange, writeWhole } from "./FieldChange.ts"
import { readStored, writeStored } from "./FieldCodec.ts"
import { LiveNode } from "./LiveNode.ts"
import { makeLive } from "./LiveValue.ts"
import type { ColumnParts, RoomColumn } from "./RoomColumn.ts"
import { type Row, Slot } from "./Row.ts"

/** Values that room code changes where they are. */
export class LiveColumn implements RoomColumn {
  readonly field: AnyField
  readonly #parts: ColumnParts
  readonly #default: unknown
  /** A live value, or the stored form of one that nobody has looked at yet. */
  readonly #cells: Array<unknown> = []

  constructor(field: AnyField, parts: ColumnParts) {
    this.field = field
    this.#parts = parts
    this.#default = field.toStored(field.default)
  }

  get(slot: number, row: Row): unknown {
    return this.#live(slot, row).value
  }

  whole(slot: number, row: Row): unknown {
    return this.get(slot, row)
  }

  frozen(slot: number): unknown {
    const cell = this.#cells[slot]
    return cell instanceof LiveNode ? this.field.toStored(cell.value) : cell
  }

  set(slot: number, value: unknown, row: Row): boolean {
    this.#live(slot, row).assign(this.#stored(value), value)
    return false
  }

  load(slot: number, value: unknown): void {
    this.#put(slot, this.#stored(value))
  }

  #stored(value: unknown): unknown {
    const problem = this.field.check(value)
    if (problem !== null) throw new FieldError(problemAt(this.#parts.path, problem))
    return this.field.toStored(value)
  }

  #live(slot: number, row: Row): LiveNode {
    const cell = this.#cells[slot]
    if (cell instanceof LiveNode) return cell
    const { path, changed, demandUnlocked } = this.#parts
    const holder = {
      get removed(): boolean {
        return row[Slot] < 0
      },
      pathOf: () => path,
      demandUnlocked,
      changedAt: () => changed(row)
    }
    const live = makeLive({ field: this.field, holder }, cell)
    this.#cells[slot] = live
    return live
  }

  reset(slot: number): void {
    this.#put(slot, this.#default)
  }

  release(slot: number): void {
    this.#cells[slot] = undefined
  }

  grow(): void {}

  write(writer: ByteWriter, slot: number): void {
    const cell = this.#cells[slot]
    if (cell instanceof LiveNode) cell.write(writer)
    else writeStored(writer, this.field, cell)
  }

  writeDelta(writer: ByteWriter, slot: number): void {
    const cell = this.#cells[slot]
    if (cell instanceof LiveNode) cell.writeChange(writer)
  }

  writeWhole(writer: ByteWriter, slot: number): void {
    const cell = this.#cells[slot]
    if (cell instanceof LiveNode) cell.writeWhole(writer)
    else writeWhole(writer, this.field, cell)
  }

  settle(slot: number): void {
    const cell = this.#cells[slot]
    if (cell instanceof LiveNode) cell.settle()
  }

  read(reader: ByteReader, slot: number): void {
    this.#put(slot, readStored(reader, this.field))
  }

  readDelta(reader: ByteReader, slot: number): void {
    this.#put(slot, readChange(reader, this.field, this.frozen(slot)))
  }

  #put(slot: number, stored: unknown): void {
    const cell = this.#cells[slot]
    if (cell instanceof LiveNode) cell.replaced = true
    this.#cells[slot] = stored
  }
}

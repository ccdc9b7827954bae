import type { AnyField } from "../schema/Field.ts"
import { known, unknownAt } from "../schema/UnknownChoice.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { readChange } from "./FieldChange.ts"
import { isNumeric, readNumber, readStored, writeNumber, writeStored } from "./FieldCodec.ts"
import type { RowValues } from "./Row.ts"

/** The values of one field for all entities of a table, by slot. */
export interface Column extends RowValues {
  /** Puts the default into a slot. */
  reset(slot: number): void
  /** Lets go of what a slot holds. */
  release(slot: number): void
  grow(capacity: number): void
  write(writer: ByteWriter, slot: number): void
  read(reader: ByteReader, slot: number): void
  /** Reads what a delta says of a value. */
  readDelta(reader: ByteReader, slot: number): void
}

/** Makes the column of a field that only changes by what is read. */
export const makeColumn = (field: AnyField): Column =>
  isNumeric(field) ? new NumberColumn(field) : new ObjectColumn(field)

/** One array of doubles whatever the kind: it holds each exactly, and all code sees one type. */
export class NumberColumn implements Column {
  readonly field: AnyField
  protected values = new Float64Array(0)
  readonly #default: number

  constructor(field: AnyField) {
    this.field = field
    this.#default = field.toNumber(field.spec.default)
  }

  get(slot: number): unknown {
    return this.field.fromNumber(this.values[slot] ?? 0)
  }

  whole(slot: number): unknown {
    return this.get(slot) ?? unknownAt(this.values[slot] ?? 0)
  }

  reset(slot: number): void {
    this.values[slot] = this.#default
  }

  release(): void {}

  grow(capacity: number): void {
    const values = new Float64Array(capacity)
    values.set(this.values)
    this.values = values
  }

  write(writer: ByteWriter, slot: number): void {
    writeNumber(writer, this.field.wire, this.values[slot] ?? 0)
  }

  read(reader: ByteReader, slot: number): void {
    this.values[slot] = readNumber(reader, this.field)
  }

  readDelta(reader: ByteReader, slot: number): void {
    this.read(reader, slot)
  }
}

/** All other kinds, as values that nobody changes. */
export class ObjectColumn implements Column {
  readonly field: AnyField
  protected readonly values: Array<unknown> = []
  readonly #default: unknown

  constructor(field: AnyField) {
    this.field = field
    this.#default = field.toStored(field.spec.default)
  }

  get(slot: number): unknown {
    return this.field.fromStored(this.values[slot])
  }

  whole(slot: number): unknown {
    return known(this.values[slot]) === undefined ? this.values[slot] : this.get(slot)
  }

  reset(slot: number): void {
    this.values[slot] = this.#default
  }

  release(slot: number): void {
    this.values[slot] = undefined
  }

  grow(): void {}

  write(writer: ByteWriter, slot: number): void {
    writeStored(writer, this.field, this.values[slot])
  }

  read(reader: ByteReader, slot: number): void {
    this.values[slot] = readStored(reader, this.field)
  }

  readDelta(reader: ByteReader, slot: number): void {
    this.values[slot] = readChange(reader, this.field, this.values[slot])
  }
}

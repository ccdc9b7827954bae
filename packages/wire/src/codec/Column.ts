import type { AnyField } from "../schema/Field.ts"
import { FieldError } from "../schema/FieldError.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import {
  isNumeric,
  readNumber,
  readStored,
  sameStored,
  writeNumber,
  writeStored
} from "./FieldCodec.ts"

/** The values of one field for all entities of a table, by slot. */
export interface Column {
  /** The public value; `undefined` = a choice that is not known here. */
  get(slot: number): unknown
  /** The stored number of a numeric kind. */
  placeAt(slot: number): number
  /** Stores a value; `false` when it was there already. Throws `FieldError`. */
  set(slot: number, value: unknown): boolean
  /** Puts the default into a slot. */
  reset(slot: number): void
  /** Lets go of what a slot holds. */
  release(slot: number): void
  grow(capacity: number): void
  write(writer: ByteWriter, slot: number): void
  read(reader: ByteReader, slot: number): void
}

/** @param path what error texts call the field, such as `players.hp` */
export const makeColumn = (field: AnyField, path: string): Column =>
  isNumeric(field) ? new NumberColumn(field, path) : new ObjectColumn(field, path)

const misfit = (field: AnyField, path: string, value: unknown): FieldError =>
  new FieldError(`${path}: ${field.check(value) ?? "does not fit"}`)

/** One array of doubles whatever the kind: it holds each exactly, and all code sees one type. */
class NumberColumn implements Column {
  readonly #field: AnyField
  readonly #path: string
  readonly #default: number
  #values = new Float64Array(0)

  constructor(field: AnyField, path: string) {
    this.#field = field
    this.#path = path
    this.#default = field.toNumber(field.default)
  }

  get(slot: number): unknown {
    return this.#field.fromNumber(this.#values[slot] ?? 0)
  }

  placeAt(slot: number): number {
    return this.#values[slot] ?? 0
  }

  set(slot: number, value: unknown): boolean {
    const next = this.#field.toNumber(value)
    if (next === this.#values[slot]) return false
    if (Number.isNaN(next)) throw misfit(this.#field, this.#path, value)
    this.#values[slot] = next
    return true
  }

  reset(slot: number): void {
    this.#values[slot] = this.#default
  }

  release(): void {}

  grow(capacity: number): void {
    const values = new Float64Array(capacity)
    values.set(this.#values)
    this.#values = values
  }

  write(writer: ByteWriter, slot: number): void {
    writeNumber(writer, this.#field.wire, this.#values[slot] ?? 0)
  }

  read(reader: ByteReader, slot: number): void {
    this.#values[slot] = readNumber(reader, this.#field)
  }
}

/** Text, bytes and lists. */
class ObjectColumn implements Column {
  readonly #field: AnyField
  readonly #path: string
  readonly #default: unknown
  readonly #values: Array<unknown> = []

  constructor(field: AnyField, path: string) {
    this.#field = field
    this.#path = path
    this.#default = field.toStored(field.default)
  }

  get(slot: number): unknown {
    return this.#field.fromStored(this.#values[slot])
  }

  placeAt(): number {
    return 0
  }

  set(slot: number, value: unknown): boolean {
    if (value === this.#values[slot]) return false
    const next = this.#field.toStored(value)
    if (next === undefined) throw misfit(this.#field, this.#path, value)
    if (sameStored(next, this.#values[slot])) return false
    this.#values[slot] = next
    return true
  }

  reset(slot: number): void {
    this.#values[slot] = this.#default
  }

  release(slot: number): void {
    this.#values[slot] = undefined
  }

  grow(): void {}

  write(writer: ByteWriter, slot: number): void {
    writeStored(writer, this.#field, this.#values[slot])
  }

  read(reader: ByteReader, slot: number): void {
    this.#values[slot] = readStored(reader, this.#field)
  }
}

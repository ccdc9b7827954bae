import type { AnyField } from "../schema/Field.ts"
import { FieldError, problemAt } from "../schema/FieldError.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { type Column, NumberColumn, ObjectColumn } from "./Column.ts"
import { sameStored } from "./FieldCodec.ts"
import type { Row } from "./Row.ts"

/** A column that room code changes. */
export interface RoomColumn extends Column {
  readonly field: AnyField
  /** The public value as it is now: nobody changes it. */
  frozen(slot: number): unknown
  /**
   * Stores a value. Throws `FieldError`. `false` = it was there already, or the column has told by
   * itself what changed.
   */
  set(slot: number, value: unknown, row: Row): boolean
  /** Puts a value into a slot, unknown to any delta. Throws `FieldError`. */
  load(slot: number, value: unknown): void
  /** Writes what changed since the last delta. */
  writeDelta(writer: ByteWriter, slot: number): void
  /** Writes all of the value into a delta, for readers who may hold any other. */
  writeWhole(writer: ByteWriter, slot: number): void
  /** Forgets what changed within the value of a slot. */
  settle(slot: number): void
}

export interface ColumnParts {
  /** What error texts call the field, such as `players.hp`. */
  readonly path: string
  /** Hears of a change within the value of a record. */
  readonly changed: (row: Row) => void
  /** Throws `FieldError` while nothing can be changed. */
  readonly demandUnlocked: () => void
}

/** The column of a numeric kind. */
export class RoomNumberColumn extends NumberColumn implements RoomColumn {
  readonly #path: string

  constructor(field: AnyField, path: string) {
    super(field)
    this.#path = path
  }

  set(slot: number, value: unknown): boolean {
    const next = this.field.toNumber(value)
    if (next === this.values[slot]) return false
    if (Number.isNaN(next)) {
      throw new FieldError(`${this.#path}: ${this.field.check(value) ?? "does not fit"}`)
    }
    this.values[slot] = next
    return true
  }

  frozen(slot: number): unknown {
    return this.get(slot)
  }

  load(slot: number, value: unknown): void {
    this.set(slot, value)
  }

  writeDelta(writer: ByteWriter, slot: number): void {
    this.write(writer, slot)
  }

  writeWhole(writer: ByteWriter, slot: number): void {
    this.write(writer, slot)
  }

  settle(): void {}
}

/** The column of a kind whose values are replaced as a whole. */
export class RoomObjectColumn extends ObjectColumn implements RoomColumn {
  readonly #path: string

  constructor(field: AnyField, path: string) {
    super(field)
    this.#path = path
  }

  set(slot: number, value: unknown): boolean {
    if (value === this.values[slot]) return false
    const problem = this.field.check(value)
    if (problem !== null) throw new FieldError(problemAt(this.#path, problem))
    const next = this.field.toStored(value)
    if (sameStored(next, this.values[slot])) return false
    this.values[slot] = next
    return true
  }

  frozen(slot: number): unknown {
    return this.get(slot)
  }

  load(slot: number, value: unknown): void {
    this.set(slot, value)
  }

  writeDelta(writer: ByteWriter, slot: number): void {
    this.write(writer, slot)
  }

  writeWhole(writer: ByteWriter, slot: number): void {
    this.write(writer, slot)
  }

  settle(): void {}
}

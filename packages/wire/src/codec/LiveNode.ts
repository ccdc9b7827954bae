import type { AnyField } from "../schema/Field.ts"
import { FieldError, problemAt } from "../schema/FieldError.ts"
import type { ByteWriter } from "./ByteWriter.ts"

/** What a live value lies in: a record, or another live value. */
export interface LiveHolder {
  /** It was taken out of the state. */
  readonly removed: boolean
  /** What error texts call the value at a place. */
  pathOf(place: unknown): string
  /** Throws `FieldError` while nothing can be changed. */
  demandUnlocked(): void
  /** The value at a place has changed, for the first time since the last delta. */
  changedAt(place: unknown): void
}

export interface LiveParts {
  readonly field: AnyField
  readonly holder: LiveHolder
  /** The place in the holder: the index of a field or of an item, or a key. */
  readonly place: unknown
  /** Makes the values within. */
  readonly make: MakeLive
}

/** Makes a live value of a stored one. */
export type MakeLive = (parts: LiveParts, stored: unknown) => LiveNode

/**
 * A value that room code changes where it is. It knows what changed since the last delta. Values that
 * nobody has looked at yet stay in their stored form within it.
 */
export abstract class LiveNode implements LiveHolder {
  readonly field: AnyField
  readonly holder: LiveHolder
  readonly make: MakeLive
  place: unknown
  /** Its place holds another value now, or none. */
  replaced = false
  #changed = false

  constructor({ field, holder, place, make }: LiveParts) {
    this.field = field
    this.holder = holder
    this.place = place
    this.make = make
  }

  /** What room code reads and changes: the same object as long as the value is in its place. */
  abstract readonly value: unknown

  /**
   * Copies a value into this one.
   *
   * @param stored the value's stored form
   * @param given the value as room code gave it: what is in it already, stays
   */
  abstract assign(stored: unknown, given: unknown): void

  abstract write(writer: ByteWriter): void

  /** Writes what changed since the last delta. Layout: docs/protocol.md, "Delta". */
  abstract writeChange(writer: ByteWriter): void

  /** Writes all of the value into a delta, for readers who may hold any other. */
  abstract writeWhole(writer: ByteWriter): void

  abstract pathOf(place: unknown): string

  /** Notes a change of a value within. */
  abstract changedAt(place: unknown): void

  get removed(): boolean {
    return this.replaced || this.holder.removed
  }

  get path(): string {
    return this.holder.pathOf(this.place)
  }

  /** Forgets what changed. */
  settle(): void {
    if (!this.#changed) return
    this.#changed = false
    this.settleParts()
  }

  protected abstract settleParts(): void

  /** Tells the holder, once until the next delta. */
  protected touch(): void {
    if (this.#changed) return
    this.#changed = true
    this.holder.changedAt(this.place)
  }

  demandUnlocked(): void {
    this.holder.demandUnlocked()
  }

  /** Throws `FieldError` once the value was removed, as a change would be lost, and while nothing can be changed. */
  demandPlace(): void {
    this.demandUnlocked()
    if (this.removed) throw new FieldError(`${this.path} was removed`)
  }

  /** Throws `FieldError` for a value that does not fit at a place. */
  demandFit(field: AnyField, value: unknown, place: unknown): void {
    const problem = field.check(value)
    if (problem !== null) throw new FieldError(problemAt(this.pathOf(place), problem))
  }

  /** The live value of what a place holds, which may be its stored form yet. */
  protected liven(cell: unknown, field: AnyField, place: unknown): LiveNode {
    return cell instanceof LiveNode
      ? cell
      : this.make({ field, holder: this, place, make: this.make }, cell)
  }
}

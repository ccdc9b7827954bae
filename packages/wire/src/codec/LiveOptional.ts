import type { ByteWriter } from "./ByteWriter.ts"
import { Place, writeStored } from "./FieldCodec.ts"
import { LiveNode, type LiveParts } from "./LiveNode.ts"

/** A value in a room that changes where it is, or none. */
export class LiveOptional extends LiveNode {
  /** A live value, a stored form, or `undefined`. */
  #cell: unknown
  /** Clients have another value, or none. */
  #whole = false

  constructor(parts: LiveParts, stored: unknown) {
    super(parts)
    this.#cell = stored
  }

  get value(): unknown {
    return this.#cell === undefined ? undefined : this.#live().value
  }

  assign(stored: unknown, given: unknown): void {
    if (stored !== undefined && this.#cell !== undefined) return this.#live().assign(stored, given)
    if (stored === this.#cell) return
    if (this.#cell instanceof LiveNode) this.#cell.replaced = true
    this.#cell = stored
    this.#whole = true
    this.touch()
  }

  #live(): LiveNode {
    // An optional has an item.
    const live = this.liven(this.#cell, this.field.item ?? this.field, null)
    this.#cell = live
    return live
  }

  changedAt(): void {
    this.touch()
  }

  pathOf(): string {
    return this.path
  }

  write(writer: ByteWriter): void {
    if (!(this.#cell instanceof LiveNode)) return writeStored(writer, this.field, this.#cell)
    writer.u8(Place.whole)
    this.#cell.write(writer)
  }

  writeChange(writer: ByteWriter): void {
    if (this.#whole || !(this.#cell instanceof LiveNode)) return this.write(writer)
    writer.u8(Place.change)
    this.#cell.writeChange(writer)
  }

  writeWhole(writer: ByteWriter): void {
    this.write(writer)
  }

  protected settleParts(): void {
    if (this.#cell instanceof LiveNode) this.#cell.settle()
    this.#whole = false
  }
}

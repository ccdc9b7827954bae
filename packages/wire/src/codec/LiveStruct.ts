import type { AnyField } from "../schema/Field.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { writeWhole } from "./FieldChange.ts"
import { isNumeric, sameStored, writeNumber, writeStored } from "./FieldCodec.ts"
import { LiveNode, type LiveParts } from "./LiveNode.ts"
import { addField, maskBytes, masked, wholeMask } from "./Mask.ts"
import { Inspect } from "./Row.ts"

/** A struct in a room. */
export class LiveStruct extends LiveNode {
  /** By index: a number, a live value, or a stored form. */
  readonly #cells: Array<unknown>
  readonly #mask: Uint8Array
  #value: StructValue | null = null

  constructor(parts: LiveParts, stored: unknown) {
    super(parts)
    const { fields } = this.field
    this.#mask = new Uint8Array(maskBytes(fields.length))
    this.#cells = fields.map(({ name, field }) => {
      const value: unknown = Reflect.get(Object(stored), name)
      return isNumeric(field) ? field.toNumber(value) : value
    })
  }

  get value(): object {
    this.#value ??= new StructValue(this)
    return this.#value
  }

  get(index: number): unknown {
    const cell = this.#cells[index]
    const field = this.field.fields[index]?.field
    if (field === undefined) return undefined
    if (field.live) return this.#live(field, index).value
    return typeof cell === "number" && isNumeric(field)
      ? field.fromNumber(cell)
      : field.fromStored(cell)
  }

  set(index: number, value: unknown): void {
    this.demandPlace()
    const field = this.field.fields[index]?.field
    if (field === undefined) return
    if (isNumeric(field)) {
      const number = field.toNumber(value)
      if (number === this.#cells[index]) return
      if (Number.isNaN(number)) this.demandFit(field, value, index)
      this.#put(index, number)
    } else {
      this.demandFit(field, value, index)
      this.#assignField(index, field.toStored(value), value)
    }
  }

  assign(stored: unknown, given: unknown): void {
    for (const { name, index, field } of this.field.fields) {
      const value: unknown = Reflect.get(Object(stored), name)
      const form = isNumeric(field) ? field.toNumber(value) : value
      this.#assignField(index, form, Reflect.get(Object(given), name))
    }
  }

  #assignField(index: number, form: unknown, given: unknown): void {
    const field = this.field.fields[index]?.field
    if (field?.live === true) this.#live(field, index).assign(form, given)
    else if (!sameStored(form, this.#cells[index])) this.#put(index, form)
  }

  #put(index: number, form: unknown): void {
    this.#cells[index] = form
    this.changedAt(index)
  }

  #live(field: AnyField, index: number): LiveNode {
    const live = this.liven(this.#cells[index], field, index)
    this.#cells[index] = live
    return live
  }

  changedAt(index: number): void {
    addField(this.#mask, index)
    this.touch()
  }

  pathOf(index: number): string {
    return `${this.path}.${this.field.fields[index]?.name}`
  }

  write(writer: ByteWriter): void {
    for (const { index, field } of this.field.fields) {
      const cell = this.#cells[index]
      if (cell instanceof LiveNode) cell.write(writer)
      else if (isNumeric(field)) writeNumber(writer, field.wire, Number(cell))
      else writeStored(writer, field, cell)
    }
  }

  writeChange(writer: ByteWriter): void {
    writer.raw(this.#mask)
    for (const { index, field } of masked(this.field.fields, this.#mask)) {
      const cell = this.#cells[index]
      if (cell instanceof LiveNode) cell.writeChange(writer)
      else if (isNumeric(field)) writeNumber(writer, field.wire, Number(cell))
      else writeStored(writer, field, cell)
    }
  }

  writeWhole(writer: ByteWriter): void {
    const { fields } = this.field
    writer.raw(wholeMask(fields.length))
    for (const { index, field } of fields) {
      const cell = this.#cells[index]
      if (cell instanceof LiveNode) cell.writeWhole(writer)
      else if (isNumeric(field)) writeNumber(writer, field.wire, Number(cell))
      else writeWhole(writer, field, cell)
    }
  }

  protected settleParts(): void {
    for (const { index } of masked(this.field.fields, this.#mask)) {
      const cell = this.#cells[index]
      if (cell instanceof LiveNode) cell.settle()
    }
    this.#mask.fill(0)
  }
}

/** What room code holds of a struct: properties of its own, so that it can be spread, and no others. */
class StructValue {
  readonly #node: LiveStruct

  constructor(node: LiveStruct) {
    this.#node = node
    Object.defineProperties(this, StructValue.#propertiesOf(node.field))
    Object.preventExtensions(this)
  }

  [Inspect](): object {
    return { ...this }
  }

  static readonly #properties = new WeakMap<AnyField, PropertyDescriptorMap>()

  /** All structs of a field share their accessors. */
  static #propertiesOf(field: AnyField): PropertyDescriptorMap {
    const known = StructValue.#properties.get(field)
    if (known !== undefined) return known
    const made = Object.fromEntries(
      field.fields.map(({ name, index }) => [
        name,
        {
          enumerable: true,
          get(this: StructValue): unknown {
            return this.#node.get(index)
          },
          set(this: StructValue, value: unknown): void {
            this.#node.set(index, value)
          }
        }
      ])
    )
    StructValue.#properties.set(field, made)
    return made
  }
}

import type { AnyField } from "../schema/Field.ts"
import { noteUnknown, unknownChoice } from "../schema/UnknownChoice.ts"
import { Wire } from "../schema/Wire.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"

/** True for the kinds whose stored form is a number. */
export const isNumeric = (field: AnyField): boolean => field.wire < Wire.string

/** Writes the stored number of a field of this encoding. */
export const writeNumber = (writer: ByteWriter, wire: number, stored: number): void => {
  switch (wire) {
    case Wire.f32:
      writer.f32(stored)
      return
    case Wire.f64:
      writer.f64(stored)
      return
    case Wire.u16:
    case Wire.i16:
    case Wire.quantised16:
      writer.u16(stored)
      return
    case Wire.u32:
    case Wire.i32:
    case Wire.quantised32:
      writer.u32(stored)
      return
    case Wire.ref:
      writer.varuint(stored)
      return
    default:
      writer.u8(stored)
  }
}

/** Reads the stored number of a field. Throws `CodecError` for one that no value has. */
export const readNumber = (reader: ByteReader, field: AnyField): number => {
  switch (field.wire) {
    case Wire.f32:
      return finite(reader, reader.f32())
    case Wire.f64:
      return finite(reader, reader.f64())
    case Wire.u8:
      return reader.u8()
    case Wire.i8:
      return reader.i8()
    case Wire.u16:
      return reader.u16()
    case Wire.i16:
      return reader.i16()
    case Wire.u32:
      return reader.u32()
    case Wire.i32:
      return reader.i32()
    case Wire.ref:
      return reader.varuint()
    case Wire.quantised16:
      return place(reader, field, reader.u16())
    case Wire.quantised32:
      return place(reader, field, reader.u32())
    default:
      return place(reader, field, reader.u8())
  }
}

const finite = (reader: ByteReader, value: number): number =>
  // Adding 0 turns -0 into 0, which is how it is stored.
  value - value === 0 ? value + 0 : reader.fail("a number that is not finite")

const place = (reader: ByteReader, field: AnyField, value: number): number =>
  value <= field.placeMax ? value : reader.fail(`${value} where ${field.placeMax} is the most`)

/** Writes the stored form of a text, bytes or list field. */
export const writeStored = (writer: ByteWriter, field: AnyField, stored: unknown): void => {
  if (typeof stored === "string") writer.text(stored)
  else if (stored instanceof Uint8Array) writer.bytes(stored)
  else if (Array.isArray(stored) && field.item !== null) writeList(writer, field.item, stored)
}

const writeList = (writer: ByteWriter, item: AnyField, values: ReadonlyArray<unknown>): void => {
  writer.varuint(values.length)
  const { wire } = item
  if (isNumeric(item)) {
    for (let place = 0; place < values.length; place += 1) {
      const value = values[place]
      const unknown = value === undefined ? unknownChoice(values, place) : undefined
      writeNumber(writer, wire, unknown ?? item.toNumber(value))
    }
  } else {
    for (const value of values) writeStored(writer, item, value)
  }
}

/** Reads the stored form of a text, bytes or list field. Throws `CodecError`. */
export const readStored = (reader: ByteReader, field: AnyField): unknown => {
  const spec = field.spec
  if (spec.kind === "string") return reader.text(spec.maxBytes)
  if (spec.kind === "bytes") return reader.bytes(spec.maxBytes)
  if (spec.kind !== "list" || field.item === null) return reader.fail("not an object kind")
  const count = reader.varuint()
  if (count > spec.maxLength) reader.fail(`${count} items where ${spec.maxLength} are the most`)
  // Every item takes a byte at least, so this bounds what is allocated by what was sent.
  if (count > reader.remaining) reader.fail(`${count} items in ${reader.remaining} bytes`)
  const values: Array<unknown> = []
  const item = { name: 0, field: field.item }
  for (; item.name < count; item.name += 1) readInto(reader, item, values)
  return Object.freeze(values)
}

/** Writes a value that may not fit. The answer says what is wrong, `null` = written. */
export const writeValue = (writer: ByteWriter, field: AnyField, value: unknown): string | null => {
  if (isNumeric(field)) {
    const stored = field.toNumber(value)
    if (Number.isNaN(stored)) return field.check(value)
    writeNumber(writer, field.wire, stored)
    return null
  }
  const stored = field.toStored(value)
  if (stored === undefined) return field.check(value)
  writeStored(writer, field, stored)
  return null
}

/**
 * Reads a public value into a record or a list, which remembers the place of a choice that is not known
 * here. Throws `CodecError`.
 */
export const readInto = <K extends string | number>(
  reader: ByteReader,
  { name, field }: { readonly name: K; readonly field: AnyField },
  holder: { [key in K]: unknown }
): void => {
  if (!isNumeric(field)) {
    holder[name] = readStored(reader, field)
    return
  }
  const stored = readNumber(reader, field)
  holder[name] = field.fromNumber(stored)
  if (holder[name] === undefined) noteUnknown(holder, name, stored)
}

/** Tells whether two stored objects are the same value. */
export const sameStored = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, at) => byte === b[at])
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item: unknown, at) => sameStored(item, b[at]))
}

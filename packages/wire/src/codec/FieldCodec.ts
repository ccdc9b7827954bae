import type { AnyField, FieldList } from "../schema/Field.ts"
import { FrozenMap } from "../schema/FrozenMap.ts"
import { shownOf, unknownAt, UnknownChoice, wholeOf } from "../schema/UnknownChoice.ts"
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

/** Writes the stored form of a field that is not numeric. */
export const writeStored = (writer: ByteWriter, field: AnyField, stored: unknown): void => {
  const { item, key, wire } = field
  if (wire === Wire.string) return writer.text(String(stored))
  if (wire === Wire.optional && item !== null) {
    writer.u8(stored === undefined ? Place.absent : Place.whole)
    return stored === undefined ? undefined : writeNormal(writer, item, stored)
  }
  if (stored instanceof Uint8Array) return writer.bytes(stored)
  const whole = wholeOf(Object(stored))
  if (wire === Wire.struct) {
    for (const { name, field: part } of field.fields) {
      writeNormal(writer, part, Reflect.get(whole, name))
    }
  } else if (Array.isArray(whole) && item !== null) {
    writer.varuint(whole.length)
    for (const value of whole) writeNormal(writer, item, value)
  } else if (whole instanceof Map && item !== null && key !== null) {
    writer.varuint(whole.size)
    for (const [name, value] of whole) {
      writeNormal(writer, key, name)
      writeNormal(writer, item, value)
    }
  }
}

/** Writes a value as lists and structs hold it. */
export const writeNormal = (writer: ByteWriter, field: AnyField, value: unknown): void => {
  if (!isNumeric(field)) return writeStored(writer, field, value)
  writeNumber(
    writer,
    field.wire,
    value instanceof UnknownChoice ? value.place : field.toNumber(value)
  )
}

/** Writes a value that may not fit. The answer says what is wrong, `null` = written. */
export const writeValue = (writer: ByteWriter, field: AnyField, value: unknown): string | null => {
  if (isNumeric(field)) {
    const stored = field.toNumber(value)
    if (Number.isNaN(stored)) return field.check(value)
    writeNumber(writer, field.wire, stored)
    return null
  }
  const problem = field.check(value)
  if (problem === null) writeStored(writer, field, field.toStored(value))
  return problem
}

/**
 * Reads the stored form of a field that is not numeric. Throws `CodecError`.
 *
 * @param frozen `false` gives structs and maps that may be changed
 */
export const readStored = (reader: ByteReader, field: AnyField, frozen = true): unknown => {
  const { spec, item, key } = field
  if (spec.kind === "string") return reader.text(spec.maxBytes)
  if (spec.kind === "bytes") return reader.bytes(spec.maxBytes)
  if (spec.kind === "struct") {
    const struct = readFields(reader, field.fields, frozen)
    return frozen ? Object.freeze(struct) : struct
  }
  if (item === null) return reader.fail("not an object kind")
  if (spec.kind === "optional") {
    return readPlace(reader) === Place.absent ? undefined : readValue(reader, item, frozen)
  }
  const count = reader.varuint()
  checkCount(reader, field, count)
  // Every item takes a byte at least, so this bounds what is allocated by what was sent.
  if (count > reader.remaining) reader.fail(`${count} items in ${reader.remaining} bytes`)
  if (key === null) {
    const values: Array<unknown> = []
    for (let at = 0; at < count; at += 1) values.push(readValue(reader, item, frozen))
    return Object.freeze(shownOf(values))
  }
  const map = new Map<unknown, unknown>()
  let isKnown = true
  for (let entry = 0; entry < count; entry += 1) {
    const name = readValue(reader, key)
    if (map.has(name)) reader.fail(`the key ${String(name)} is there twice`)
    const value = readValue(reader, item, frozen)
    map.set(name, value)
    if (name instanceof UnknownChoice || value instanceof UnknownChoice) isKnown = false
  }
  return isKnown && !frozen ? map : new FrozenMap(map)
}

/** Reads the values of all fields in order. Throws `CodecError`. */
export const readFields = (
  reader: ByteReader,
  fields: FieldList,
  frozen: boolean
): Record<string, unknown> => {
  const record: Record<string, unknown> = {}
  let isKnown = true
  for (const { name, field } of fields) {
    const value = readValue(reader, field, frozen)
    record[name] = value
    if (value instanceof UnknownChoice) isKnown = false
  }
  return isKnown ? record : shownOf(record)
}

/** Fails for more items or entries than a list or a map may have. */
export const checkCount = (reader: ByteReader, { spec }: AnyField, count: number): void => {
  const max =
    spec.kind === "list" ? spec.maxLength : spec.kind === "map" ? spec.maxEntries : Infinity
  if (count > max) reader.fail(`${count} items where ${max} are the most`)
}

/** What is in a place that may be empty. Source: docs/protocol.md, "Delta". */
export const Place = { absent: 0, whole: 1, change: 2 } as const

/** Reads one of {@link Place}. */
export const readPlace = (reader: ByteReader, max: number = Place.whole): number => {
  const place = reader.u8()
  return place <= max ? place : reader.fail(`${place} where ${max} is the most`)
}

/** Reads a value as lists and structs hold it. Throws `CodecError`. */
export const readValue = (reader: ByteReader, field: AnyField, frozen = true): unknown => {
  if (!isNumeric(field)) return readStored(reader, field, frozen)
  const number = readNumber(reader, field)
  return field.fromNumber(number) ?? unknownAt(number)
}

/** Tells whether two stored objects, of a kind whose parts do not change by themselves, are the same. */
export const sameStored = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, at) => byte === b[at])
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item: unknown, at) => sameStored(item, b[at]))
}

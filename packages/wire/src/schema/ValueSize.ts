import { utf8Length } from "../text/Utf8.ts"
import { type FieldSpec, type NamedSpec, partsOf } from "./FieldSpec.ts"

/** Bytes of a msgpack head: one for few items, else one and those of the count. */
const head = (count: number, few: number, oneByteMax: number): number => {
  if (count < few) return 1
  if (count <= oneByteMax) return 2
  return count <= 0xffff ? 3 : 5
}

const textHead = (bytes: number): number => head(bytes, 32, 0xff)
const binaryHead = (bytes: number): number => head(bytes, 0, 0xff)
/** Of an array or a map. */
const listHead = (length: number): number => head(length, 16, 0)

const textBytes = (text: string): number => {
  const bytes = utf8Length(text)
  return textHead(bytes) + bytes
}

/** The most bytes that a value can take in msgpack, where a map is a list of pairs. */
export const valueBytesMax = (spec: FieldSpec): number => {
  const inner = partsOf(spec).reduce((bytes, [, part]) => bytes + valueBytesMax(part), 0)
  switch (spec.kind) {
    case "bool":
      return 1
    case "u8":
    case "i8":
      return 2
    case "u16":
    case "i16":
      return 3
    case "u32":
    case "i32":
    case "ref":
      return 5
    // A float that is no whole number is written in 64 bits, whatever the field holds it in.
    case "f32":
    case "f64":
    case "quantised":
      return 9
    case "string":
      return textHead(spec.maxBytes) + spec.maxBytes
    case "bytes":
      return binaryHead(spec.maxBytes) + spec.maxBytes
    case "enum":
      return Math.max(...spec.choices.map(textBytes))
    case "list":
      return listHead(spec.maxLength) + spec.maxLength * inner
    case "map":
      return listHead(spec.maxEntries) + spec.maxEntries * (1 + inner)
    case "struct":
      return listHead(spec.fields.length) + namesBytes(spec.fields) + inner
    case "optional":
      return inner
  }
}

const namesBytes = (fields: ReadonlyArray<NamedSpec>): number =>
  fields.reduce((bytes, { name }) => bytes + textBytes(name), 0)

/** The most bytes that `packPlayer` can make of these fields. */
export const playerBytesMax = (fields: ReadonlyArray<NamedSpec>): number =>
  valueBytesMax({ kind: "struct", fields, default: {} })

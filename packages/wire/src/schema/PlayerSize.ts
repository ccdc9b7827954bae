import { utf8Length } from "../text/Utf8.ts"
import type { ItemSpec } from "./FieldSpec.ts"
import type { FieldList } from "./RoomSchema.ts"

const U8Max = 0xff
const U16Max = 0xffff

/** Bytes of a msgpack text head. */
const textHead = (bytes: number): number => {
  if (bytes < 32) return 1
  if (bytes <= U8Max) return 2
  return bytes <= U16Max ? 3 : 5
}

const binaryHead = (bytes: number): number => {
  if (bytes <= U8Max) return 2
  return bytes <= U16Max ? 3 : 5
}

/** Bytes of a msgpack array or map head. */
const listHead = (length: number): number => {
  if (length < 16) return 1
  return length <= U16Max ? 3 : 5
}

const textBytes = (text: string): number => {
  const bytes = utf8Length(text)
  return textHead(bytes) + bytes
}

const itemBytesMax = (spec: ItemSpec): number => {
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
  }
}

/** The most bytes that `packPlayer` can make of these fields. */
export const playerBytesMax = (fields: FieldList): number => {
  let bytes = listHead(fields.length)
  for (const { name, field } of fields) {
    const spec = field.spec
    bytes += textBytes(name)
    bytes +=
      spec.kind === "list"
        ? listHead(spec.maxLength) + spec.maxLength * itemBytesMax(spec.of)
        : itemBytesMax(spec)
  }
  return bytes
}

import type { AnyField, AnyRoomSchema, FieldList, StateShape } from "@atrium/wire/schema"
import { problemAt } from "@atrium/wire/schema/FieldError"
import { Wire } from "@atrium/wire/schema/Wire"
import { utf8Length } from "@atrium/wire/text/Utf8"

import { type FieldBytes, type RelayTableShape, varuintBytes } from "./RelayTables.ts"

/** Bytes that a value takes in an encoded state. The value fits its field. */
const valueBytes = (field: AnyField, value: unknown): number => {
  switch (field.wire) {
    case Wire.u16:
    case Wire.i16:
    case Wire.quantised16:
      return 2
    case Wire.u32:
    case Wire.i32:
    case Wire.f32:
    case Wire.quantised32:
      return 4
    case Wire.f64:
      return 8
    case Wire.ref:
      return varuintBytes(Number(value))
    case Wire.string:
      return typeof value === "string" ? counted(utf8Length(value)) : 0
    case Wire.bytes:
      return value instanceof Uint8Array ? counted(value.length) : 0
    case Wire.list:
      return Array.isArray(value) ? listBytes(field, value) : 0
    case Wire.struct:
    case Wire.map:
    case Wire.optional:
      return nestedBytes(field, field.toStored(value))
    default:
      return 1
  }
}

const counted = (bytes: number): number => varuintBytes(bytes) + bytes

const listBytes = ({ item }: AnyField, values: ReadonlyArray<unknown>): number => {
  let bytes = varuintBytes(values.length)
  if (item !== null) for (const value of values) bytes += valueBytes(item, value)
  return bytes
}

/** Of a stored form: what a client left out of a struct is there. */
const nestedBytes = ({ wire, item, key, fields }: AnyField, stored: unknown): number => {
  if (wire === Wire.struct) {
    const record = Object(stored)
    return fields.reduce((bytes, { name, field }) => bytes + valueBytes(field, record[name]), 0)
  }
  if (item === null) return 0
  if (key === null) return 1 + (stored === undefined ? 0 : valueBytes(item, stored))
  const entries = [...Object(stored)]
  return entries.reduce(
    (bytes, [name, value]) => bytes + valueBytes(key, name) + valueBytes(item, value),
    varuintBytes(entries.length)
  )
}

/** Bytes of each field of a record. */
export const fieldBytesOf = (fields: FieldList, record: object): Array<number> =>
  fields.map(({ name, field }) => valueBytes(field, Reflect.get(record, name)))

/** The tables of a schema in wire order: singletons, then collections. */
export const shapesOf = ({ singletons, collections }: AnyRoomSchema): ReadonlyArray<StateShape> => [
  ...singletons.list,
  ...collections.list
]

/** The facts about a schema's tables that the machine uses. */
export const tableShapesOf = (schema: AnyRoomSchema): ReadonlyArray<RelayTableShape> =>
  shapesOf(schema).map(({ name, fields }) => ({
    name,
    singleton: schema.singletons.byName.has(name),
    defaults: fields.map(({ field }) => valueBytes(field, field.default))
  }))

/** The sizes of the values that a client wrote, or what is wrong with the first bad value. */
export type CheckedValues =
  | { readonly _tag: "Good"; readonly fields: ReadonlyArray<FieldBytes> }
  | { readonly _tag: "Bad"; readonly problem: string }

/** Checks the values that a client wrote against the fields of a record. */
export const checkValues = ({ name, fields }: StateShape, values: object): CheckedValues => {
  const written: Array<FieldBytes> = []
  for (const [key, value] of Object.entries(values)) {
    const found = fields.find((candidate) => candidate.name === key)
    if (found === undefined) return bad(`${name}.${key}: there is no such field`)
    const problem = found.field.check(value)
    if (problem !== null) return bad(problemAt(`${name}.${key}`, problem))
    written.push([found.index, valueBytes(found.field, value)])
  }
  return { _tag: "Good", fields: written }
}

const bad = (problem: string): CheckedValues => ({ _tag: "Bad", problem })

import type { AnyField } from "../schema/Field.ts"
import { FieldError } from "../schema/FieldError.ts"
import type { FieldList } from "../schema/RoomSchema.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { readMapHead, readPlain, readText } from "./MsgpackReader.ts"
import {
  writeBinary,
  writeDouble,
  writeHead,
  writeInteger,
  writeSingle,
  writeText
} from "./MsgpackWriter.ts"
import { checkKeys } from "./RecordCodec.ts"

const shared = new ByteWriter()

/**
 * Encodes the persisted fields of a player as a msgpack map by field name, which outlives changes
 * of the schema. At most 4 KB: the schema would not have been built otherwise.
 *
 * Errors: `FieldError` naming `player.field` for a value that does not fit or is not declared.
 * Source: spec "Persisted player fields".
 */
export const packPlayer = (fields: FieldList, value: object): Uint8Array => {
  const given = fields.map(({ name }): unknown => Reflect.get(value, name))
  checkKeys(fields, value, "player")
  shared.reset()
  writeHead(shared, "map", fields.length)
  for (const { name, index, field } of fields) {
    const entry = given[index] === undefined ? field.default : given[index]
    const problem = field.check(entry)
    if (problem !== null) throw new FieldError(`player.${name}: ${problem}`)
    writeText(shared, name)
    writeField(field, entry)
  }
  return shared.finish()
}

/**
 * Decodes what {@link packPlayer} made, maybe with an older schema. A field that is not there, or
 * whose value no longer fits, has its default; `null` is a player of whom nothing is stored yet.
 *
 * Errors: `CodecError` for bytes that are no such map.
 */
export const unpackPlayer = (
  fields: FieldList,
  bytes: Uint8Array | null
): Record<string, unknown> => {
  const stored = bytes === null ? new Map<string, unknown>() : readEntries(bytes)
  const player: Record<string, unknown> = {}
  for (const { name, field } of fields) {
    const value = stored.get(name)
    player[name] = field.check(value) === null ? normal(field, value) : field.default
  }
  return player
}

const readEntries = (bytes: Uint8Array): ReadonlyMap<string, unknown> => {
  const reader = new ByteReader(bytes)
  const entries = new Map<string, unknown>()
  const count = readMapHead(reader)
  for (let index = 0; index < count; index += 1) {
    const name = readText(reader)
    entries.set(name, readPlain(reader))
  }
  reader.end()
  return entries
}

/** A value as the field holds it: rounded, copied, frozen. */
const normal = (field: AnyField, value: unknown): unknown =>
  Number.isNaN(field.toNumber(value))
    ? field.fromStored(field.toStored(value))
    : field.fromNumber(field.toNumber(value))

const writeField = (field: AnyField, value: unknown): void => {
  if (!Array.isArray(value)) {
    writeItem(field, value)
    return
  }
  writeHead(shared, "array", value.length)
  for (const item of value) writeItem(field.item ?? field, item)
}

const writeItem = (field: AnyField, value: unknown): void => {
  if (typeof value === "string") writeText(shared, value)
  else if (value instanceof Uint8Array) writeBinary(shared, value)
  else if (typeof value === "boolean") shared.u8(value ? MsgpackTrue : MsgpackFalse)
  else if (field.spec.kind === "f32") writeSingle(shared, field.toNumber(value))
  else if (field.spec.kind === "f64") writeDouble(shared, field.toNumber(value))
  else if (field.spec.kind === "quantised") writeDouble(shared, quantised(field, value))
  else writeInteger(shared, field.toNumber(value))
}

const MsgpackFalse = 0xc2
const MsgpackTrue = 0xc3

const quantised = (field: AnyField, value: unknown): number =>
  Number(field.fromNumber(field.toNumber(value)))

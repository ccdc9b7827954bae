import type { AnyField } from "../schema/Field.ts"
import { FieldError, problemAt } from "../schema/FieldError.ts"
import type { FieldList } from "../schema/RoomSchema.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { readFields, writeValue } from "./FieldCodec.ts"

const shared = new ByteWriter()

/**
 * Encodes a message, RPC arguments or an RPC answer: all fields in declaration order. A field that
 * is left out has its default, so that a client of an older schema can still speak.
 *
 * @param path what error texts call the record, such as `chat`
 * Errors: `FieldError` for a value that does not fit or that no field declares; nothing is trimmed.
 */
export const packRecord = (fields: FieldList, value: unknown, path: string): Uint8Array => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FieldError(`${path}: must be an object`)
  }
  const given = fields.map(({ name }): unknown => Reflect.get(value, name))
  checkKeys(fields, value, path)
  shared.reset()
  for (const { name, index, field } of fields) {
    const entry = given[index]
    const problem = writeValue(shared, field, entry === undefined ? field.spec.default : entry)
    if (problem !== null) throw new FieldError(problemAt(`${path}.${name}`, problem))
  }
  return shared.finish()
}

/** Throws `FieldError` for a key that no field declares: dropping it would lose data silently. */
export const checkKeys = (fields: FieldList, value: object, path: string): void => {
  let declared = 0
  for (const { name } of fields) if (Object.hasOwn(value, name)) declared += 1
  const keys = Object.keys(value)
  if (keys.length <= declared) return
  const stray = keys.find((key) => !fields.some(({ name }) => name === key))
  if (stray !== undefined) throw new FieldError(`${path}.${stray}: there is no such field`)
}

/** Throws `FieldError` for a value that a field does not take, or that is not there. */
export const demandFit = (path: string, field: AnyField, value: unknown): void => {
  const problem = field.check(value)
  if (problem === null) return
  throw new FieldError(problemAt(path, value === undefined ? "is missing" : problem))
}

/**
 * Decodes what {@link packRecord} made. Structs and maps in it may be changed: nobody else has them. Throws
 * `CodecError` for any other bytes.
 */
export const unpackRecord = (fields: FieldList, bytes: Uint8Array): Record<string, unknown> => {
  const reader = new ByteReader(bytes)
  const record = readFields(reader, fields, false)
  reader.end()
  return record
}

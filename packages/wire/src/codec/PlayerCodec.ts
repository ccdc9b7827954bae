import { MsgpackError, type Plain, unpackValue } from "../msgpack/MsgpackReader.ts"
import { packValue } from "../msgpack/MsgpackWriter.ts"
import type { AnyField } from "../schema/Field.ts"
import { FieldError, problemAt } from "../schema/FieldError.ts"
import type { FieldList } from "../schema/RoomSchema.ts"
import { SchemaLimits } from "../schema/SchemaLimits.ts"
import { CodecError } from "./CodecError.ts"
import { declaredPart } from "./DeclaredPart.ts"
import { sameStored } from "./FieldCodec.ts"
import { plainForm } from "./PlainForm.ts"
import { checkKeys, demandFit } from "./RecordCodec.ts"

/**
 * Encodes the persisted fields of a player as a msgpack map by field name, which outlives changes
 * of the schema. At most 4 KB: the schema would not have been built otherwise.
 *
 * @param others what {@link otherFields} found; left out where there is no place for it
 * Errors: `FieldError` naming `player.field` for a value that does not fit or is not declared.
 * Source: spec "Persisted player fields".
 */
export const packPlayer = (
  fields: FieldList,
  value: object,
  others: OtherFields = {}
): Uint8Array => {
  const given = fields.map(({ name }): unknown => Reflect.get(value, name))
  checkKeys(fields, value, "player")
  const entries: Record<string, unknown> = {}
  for (const { name, index, field } of fields) {
    const entry = given[index] === undefined ? field.default : given[index]
    const problem = field.check(entry)
    if (problem !== null) throw new FieldError(problemAt(`player.${name}`, problem))
    entries[name] = plainForm(field.normal(entry))
  }
  const all = packValue({ ...entries, ...others })
  return all.length <= SchemaLimits.playerFieldsBytes.max ? all : packValue(entries)
}

/** Stored fields that a schema does not declare, or whose values it does not hold, by name. */
export type OtherFields = { readonly [name: string]: Plain }

/**
 * Stored fields of a player that this schema does not have as they are: those of another room type, or
 * of a newer version. A later write of the player writes them back, unless it says another value.
 * Source: C-59, C-684.
 *
 * Errors: `CodecError` for bytes that are no such map.
 */
export const otherFields = (fields: FieldList, bytes: Uint8Array | null): OtherFields => {
  if (bytes === null) return {}
  const declared = new Map(fields.map(({ name, field }) => [name, field]))
  return Object.fromEntries(
    Object.entries(readEntries(bytes)).filter(([name, value]) => !holds(declared.get(name), value))
  )
}

const holds = (field: AnyField | undefined, value: unknown): boolean => {
  if (field === undefined) return false
  const declared = declaredPart(field, value)
  return field.check(declared) === null && isIn(plainForm(field.normal(declared)), value)
}

/** Whether all that was stored is in a plain value. */
const isIn = (plain: unknown, stored: unknown): boolean => {
  if (Array.isArray(plain) && Array.isArray(stored)) {
    return (
      plain.length === stored.length && stored.every((each: unknown, at) => isIn(plain[at], each))
    )
  }
  if (!isRecord(plain) || !isRecord(stored)) return sameStored(plain, stored)
  return Object.entries(stored).every(
    ([name, value]) => Object.hasOwn(plain, name) && isIn(plain[name], value)
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array)

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
  const stored = bytes === null ? {} : readEntries(bytes)
  const player: Record<string, unknown> = {}
  for (const { name, field } of fields) {
    const value = declaredPart(field, stored[name])
    player[name] = field.check(value) === null ? field.normal(value) : field.default
  }
  return player
}

/** A change of a player's persisted fields by code. */
export interface PlayerChange {
  readonly from: FieldList
  readonly to: FieldList
  /** Makes the fields of `to` from those of `from`, which are frozen. Nobody vouches for what it returns. */
  readonly change: (old: Readonly<Record<string, unknown>>) => unknown
}

/**
 * Changes what {@link packPlayer} made. Fields that neither side declares stay; a field that holds its
 * default, and was not stored before, is not stored either.
 *
 * Errors: `CodecError` for bytes that are no such map or would be too many, `FieldError` for a value that
 * is missing, does not fit or is not declared, and what `change` throws.
 */
export const migratePlayer = (
  bytes: Uint8Array,
  { from, to, change }: PlayerChange
): Uint8Array => {
  const stored = readEntries(bytes)
  const changed = change(Object.freeze(unpackPlayer(from, bytes)))
  if (typeof changed !== "object" || changed === null) {
    throw new FieldError("player: must be an object")
  }
  checkKeys(to, changed, "player")
  const declared = new Set([...from, ...to].map(({ name }) => name))
  const entries: Record<string, unknown> = Object.fromEntries(
    Object.entries(stored).filter(([name]) => !declared.has(name))
  )
  for (const { name, field } of to) {
    const value: unknown = Reflect.get(changed, name)
    demandFit(`player.${name}`, field, value)
    if (Object.hasOwn(stored, name) || !isDefault(field, value))
      entries[name] = plainForm(field.normal(value))
  }
  const packed = packValue(entries)
  const { max } = SchemaLimits.playerFieldsBytes
  if (packed.length <= max) return packed
  throw new CodecError(`player: the fields have ${packed.length} bytes, over ${max}`)
}

const isDefault = (field: AnyField, value: unknown): boolean =>
  packsAlike(plainForm(field.normal(value)), plainForm(field.default))

const packsAlike = (one: unknown, other: unknown): boolean => {
  const [bytes, others] = [packValue(one), packValue(other)]
  return bytes.length === others.length && bytes.every((byte, place) => byte === others[place])
}

const readEntries = (bytes: Uint8Array): { readonly [name: string]: Plain } => {
  const stored = readStored(bytes)
  if (!isRecord(stored)) throw new CodecError("player: not a map")
  // Whatever is in a plain value is plain.
  return stored as { readonly [name: string]: Plain }
}

const readStored = (bytes: Uint8Array): Plain => {
  try {
    return unpackValue(bytes)
  } catch (error) {
    throw error instanceof MsgpackError ? new CodecError(error.message) : error
  }
}

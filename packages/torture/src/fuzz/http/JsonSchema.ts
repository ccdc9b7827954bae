import type { ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"

/** The part of JSON Schema that describes the bodies and parameters of the contract. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly items?: JsonSchema
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
}

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** The schemas that others refer to. */
export type Named = Readonly<Record<string, JsonSchema>>

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** The schema itself, behind its names. */
export const resolved = (schema: JsonSchema, named: Named): JsonSchema => {
  if (schema.$ref === undefined) return schema
  const found = named[schema.$ref.replace("#/components/schemas/", "")]
  if (found === undefined) throw new Error(`no schema ${schema.$ref}`)
  return resolved(found, named)
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/**
 * Whether a value may pass a schema. `false` is certain. `true` is not: the service also has checks that
 * JSON Schema cannot express.
 */
export const mayPass = (schema: JsonSchema, value: Json, named: Named): boolean => {
  const passes = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas: named } })
  compiled.set(schema, passes)
  return passes(value)
}

/** Values of fields, by name. A field without an entry gets a value made from its schema. */
export type Hints = Readonly<Record<string, Json>>

/** A value that passes, all fields there, so that each can be spoilt. */
export const sampleOf = (
  given: JsonSchema,
  {
    named,
    hints,
    name = ""
  }: { readonly named: Named; readonly hints: Hints; readonly name?: string }
): Json => {
  const schema = resolved(given, named)
  const hint = hints[name]
  if (hint !== undefined && mayPass(schema, hint, named)) return hint
  const inside = (each: JsonSchema, key: string): Json =>
    sampleOf(each, { named, hints, name: key })
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return inside(first, name)
  if (schema.enum !== undefined) return JSON.parse(JSON.stringify(schema.enum[0]))
  switch (schema.type) {
    case "boolean":
      return true
    case "number":
    case "integer":
      return schema.minimum ?? 1
    case "string":
      return "x".repeat(schema.minLength ?? 1)
    case "array":
      return schema.items === undefined ? [] : [inside(schema.items, name)]
    case "object":
      return sampleObject(schema, inside)
    case undefined:
    default:
      return null
  }
}

const sampleObject = (
  { properties = {}, additionalProperties }: JsonSchema,
  inside: (schema: JsonSchema, key: string) => Json
): JsonObject => {
  const fields = Object.entries(properties).map(
    ([key, field]) => [key, inside(field, key)] as const
  )
  const isMap = typeof additionalProperties === "object"
  return Object.fromEntries(isMap ? [["one", inside(additionalProperties, "one")]] : fields)
}

/** A place in a value, with the schema of what stands there. */
export interface Place {
  readonly path: ReadonlyArray<string>
  readonly schema: JsonSchema
  readonly value: Json
}

/** Every place of a value that its schema describes, the value itself first. */
export const placesIn = (given: JsonSchema, value: Json, named: Named): ReadonlyArray<Place> => {
  const whole = resolved(given, named)
  const schema = whole.anyOf?.find((each) => mayPass(each, value, named)) ?? whole
  const below = (key: string, inner: JsonSchema, field: Json): ReadonlyArray<Place> =>
    placesIn(inner, field, named).map((place) => ({ ...place, path: [key, ...place.path] }))
  const self = { path: [], schema: whole, value }
  const { items, properties = {}, additionalProperties } = schema
  if (isList(value)) {
    const inside =
      items === undefined ? [] : value.flatMap((item, at) => below(String(at), items, item))
    return [self, ...inside]
  }
  if (!isObject(value)) return [self]
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const inner = properties[key] ?? additionalProperties
    return typeof inner === "object" ? below(key, inner, field) : []
  })
  return [self, ...fields]
}

/** The value with something else at a place. */
export const withAt = (value: Json, [key, ...rest]: ReadonlyArray<string>, other: Json): Json => {
  if (key === undefined) return other
  if (isList(value)) {
    return value.map((item, at) => (String(at) === key ? withAt(item, rest, other) : item))
  }
  if (!isObject(value)) throw new Error(`no place ${key}`)
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === key ? withAt(field, rest, other) : field
    ])
  )
}

import { boundsProblem } from "#schema/SchemaChecks"

import { buildSchema } from "./BuildSchema.ts"
import type { NamedFieldDescriptor } from "./Descriptor.ts"
import { type AnyField, makeField } from "./Field.ts"
import { show } from "./FieldCheck.ts"
import { type FieldSpec, type GivenSpec, withDefault } from "./FieldSpec.ts"
import { arrayIn, fail, hexIn, isRecord, textIn, type JsonRecord } from "./Json.ts"
import type { AnyRoomSchema, FieldList } from "./RoomSchema.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import type { FieldEntries, RpcParts } from "./SchemaParts.ts"
import type { SettingsDefinition } from "./Settings.ts"

/**
 * Makes a schema of a descriptor that came over a wire or out of storage. Nothing in it is trusted:
 * it passes the checks of `defineSchema`. Keys that this version does not know are ignored.
 *
 * Errors: `SchemaError`, naming the culprit.
 */
export const fromDescriptor = (json: unknown): AnyRoomSchema => {
  if (!isRecord(json)) return fail("descriptor", "must be an object")
  if (json["format"] !== 1 && json["format"] !== 2) {
    return fail("format", "this version reads 1 and 2 only")
  }
  const rpc = json["rpc"]
  if (!isRecord(rpc)) return fail("rpc", "must be an object")
  const shapesMax = SchemaLimits.schemaCollections.max
  return buildSchema({
    // They are judged as they are, and whatever else is in the descriptor is not looked at.
    settings: json as unknown as SettingsDefinition,
    singletons: namedIn("singletons", json["singletons"], shapesMax).map(fieldsOfShape),
    entities: namedIn("entities", json["entities"], shapesMax).map(fieldsOfShape),
    messages: namedIn("messages", json["messages"], SchemaLimits.schemaMessages.max).map((shape) =>
      shape.json["fields"] === undefined ? [shape.name, null] : fieldsOfShape(shape)
    ),
    clientRpcs: namedIn("rpc.client", rpc["client"], SchemaLimits.schemaRpcs.max).map(rpcParts),
    serverRpcs: namedIn("rpc.server", rpc["server"], SchemaLimits.schemaRpcs.max).map(rpcParts),
    player: fieldsIn("player", json["player"])
  })
}

interface Named {
  readonly name: string
  readonly path: string
  readonly json: JsonRecord
}

const namedIn = (path: string, json: unknown, max: number): ReadonlyArray<Named> =>
  arrayIn(path, json, max).map((entry, place) => {
    if (!isRecord(entry)) return fail(`${path}[${place}]`, "must be an object")
    const name = entry["name"]
    if (typeof name !== "string") return fail(`${path}[${place}].name`, "must be text")
    return { name, path: `${path}.${name.slice(0, SchemaLimits.schemaNameChars.max)}`, json: entry }
  })

const fieldsIn = (path: string, json: unknown): FieldEntries =>
  namedIn(path, json, SchemaLimits.schemaFields.max).map((named) => [named.name, fieldIn(named)])

/**
 * Fields of proven descriptors, however many. Their names are not looked at again.
 *
 * Errors: `SchemaError`.
 */
export const fieldsOfDescriptors = (
  path: string,
  json: ReadonlyArray<NamedFieldDescriptor>
): FieldList =>
  namedIn(path, json, json.length).map((named, index) => ({
    name: named.name,
    index,
    field: fieldIn(named)
  }))

const fieldsOfShape = (shape: Named): readonly [string, FieldEntries] => [
  shape.name,
  fieldsIn(shape.path, shape.json["fields"])
]

const rpcParts = (rpc: Named): readonly [string, RpcParts] => {
  const payload = (part: "args" | "returns"): FieldEntries | null => {
    const json = rpc.json[part]
    if (json === undefined) return []
    return json === "untyped" ? null : fieldsIn(`${rpc.path}.${part}`, json)
  }
  return [
    rpc.name,
    { args: payload("args"), returns: payload("returns"), durable: rpc.json["durable"] === true }
  ]
}

const fieldIn = ({ path, json }: Named): AnyField => {
  const spec = specIn(path, json, 0)
  const problem = boundsProblem(spec)
  return problem === null ? makeField<unknown>(spec) : fail(path, problem)
}

/** The keys of each kind in the order of a descriptor. */
const KindKeys: Readonly<Record<string, string>> = {
  bool: "default",
  u8: "default",
  i8: "default",
  u16: "default",
  i16: "default",
  u32: "default",
  i32: "default",
  f32: "default",
  f64: "default",
  quantised: "min max step default",
  string: "maxBytes default",
  bytes: "maxBytes default",
  enum: "choices",
  ref: "collection",
  list: "of maxLength default",
  struct: "fields",
  map: "key value maxEntries",
  optional: "of"
}

/** An optional may be around each of the kinds that are counted. */
const LevelsMax = 2 * SchemaLimits.nestedKinds.max

/** The kind with its bounds, which may be any JSON until {@link boundsProblem} has seen them. */
const specIn = (path: string, json: JsonRecord, level: number): FieldSpec => {
  const kind = textIn(json, "kind", path)
  if (!Object.hasOwn(KindKeys, kind)) return fail(path, `${show(kind)} is no kind`)
  if (level > LevelsMax) return fail(path, "nested too deeply")
  const partIn = (key: string): unknown => {
    const [at, part] = [`${path}.${key}`, json[key]]
    switch (key) {
      case "of":
      case "key":
      case "value":
        return isRecord(part) ? specIn(at, part, level + 1) : fail(at, "must be an object")
      case "fields":
        return namedIn(path, part, SchemaLimits.schemaFields.max).map((field) => ({
          name: field.name,
          spec: specIn(field.path, field.json, level + 1)
        }))
      case "default":
        return defaultIn(at, json)
      default:
        return part
    }
  }
  const keys = KindKeys[kind]?.split(" ") ?? []
  const parts = Object.fromEntries(keys.map((key) => [key, partIn(key)]))
  // It has the keys of its kind; what is in them is judged next.
  return withDefault({ kind, ...parts } as GivenSpec)
}

/** Bytes are hexadecimal in JSON. */
const defaultIn = (path: string, { kind, of, default: given }: JsonRecord): unknown => {
  if (given === undefined || given === null) return undefined
  if (kind === "bytes") return hexIn(path, given)
  if (kind !== "list" || !isRecord(of) || of["kind"] !== "bytes") return given
  return arrayIn(path, given, SchemaLimits.listElements.max).map((hex) => hexIn(path, hex))
}

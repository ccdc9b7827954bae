import { buildSchema, type FieldEntries, type RpcParts } from "./BuildSchema.ts"
import { DescriptorFormat } from "./Descriptor.ts"
import { makeField, type AnyField } from "./Field.ts"
import type { FieldSpec, ItemSpec } from "./FieldSpec.ts"
import { arrayIn, fail, hexIn, isRecord, numberIn, textIn, type JsonRecord } from "./Json.ts"
import type { AnyRoomSchema } from "./RoomSchema.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import type { SettingsDefinition } from "./Settings.ts"

/**
 * Makes a schema of a descriptor that came over a wire or out of storage. Nothing in it is trusted:
 * it passes the checks of `defineSchema`. Keys that this version does not know are ignored.
 *
 * Errors: `SchemaError`, naming the culprit.
 */
export const fromDescriptor = (json: unknown): AnyRoomSchema => {
  if (!isRecord(json)) return fail("descriptor", "must be an object")
  if (json["format"] !== DescriptorFormat) {
    return fail("format", `this version reads ${DescriptorFormat} only`)
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

const fieldIn = ({ path, json }: Named): AnyField => makeField<unknown>(specIn(path, json))

const specIn = (path: string, json: JsonRecord): FieldSpec => {
  if (json["kind"] !== "list") return itemIn(path, json, json["default"])
  const of = json["of"]
  if (!isRecord(of)) return fail(`${path}.of`, "must be an object")
  const item = itemIn(`${path}.of`, of, undefined)
  const maxLength = numberIn(json, "maxLength", path)
  const items = arrayIn(`${path}.default`, json["default"] ?? [], SchemaLimits.listElements.max)
  return {
    kind: "list",
    of: item,
    maxLength,
    default: item.kind === "bytes" ? items.map((hex) => hexIn(`${path}.default`, hex)) : items
  }
}

/** The kind with its bounds. A default is checked against them when the schema is built. */
const itemIn = (path: string, json: JsonRecord, given: unknown): ItemSpec => {
  const kind = textIn(json, "kind", path)
  switch (kind) {
    case "bool": {
      const value = given ?? false
      return typeof value === "boolean"
        ? { kind, default: value }
        : fail(`${path}.default`, "must be true or false")
    }
    case "u8":
    case "i8":
    case "u16":
    case "i16":
    case "u32":
    case "i32":
    case "f32":
    case "f64":
      return { kind, default: defaultNumber(path, given ?? 0) }
    case "quantised": {
      const [min, max] = [numberIn(json, "min", path), numberIn(json, "max", path)]
      const step = numberIn(json, "step", path)
      return { kind, min, max, step, default: defaultNumber(path, given ?? min) }
    }
    case "string": {
      const value = given ?? ""
      if (typeof value !== "string") return fail(`${path}.default`, "must be text")
      return { kind, maxBytes: numberIn(json, "maxBytes", path), default: value }
    }
    case "bytes":
      return {
        kind,
        maxBytes: numberIn(json, "maxBytes", path),
        default: hexIn(`${path}.default`, given ?? "")
      }
    case "enum":
      return enumIn(path, json)
    case "ref":
      return { kind, collection: textIn(json, "collection", path), default: 0 }
    default:
      return fail(
        path,
        `${JSON.stringify(kind.slice(0, SchemaLimits.schemaNameChars.max))} is no kind`
      )
  }
}

const enumIn = (path: string, json: JsonRecord): ItemSpec => {
  const at = `${path}.choices`
  const choices = arrayIn(at, json["choices"], SchemaLimits.enumChoices.max).map((choice) =>
    typeof choice === "string" ? choice : fail(at, "must be text")
  )
  return { kind: "enum", choices, default: choices[0] ?? "" }
}

const defaultNumber = (path: string, value: unknown): number =>
  typeof value === "number" ? value : fail(`${path}.default`, "must be a number")

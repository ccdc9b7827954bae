import { isField, type AnyField } from "./Field.ts"
import { boundsProblem } from "./FieldBounds.ts"
import { playerBytesMax } from "./PlayerSize.ts"
import type {
  AnyRoomSchema,
  FieldList,
  MessageShape,
  RpcShape,
  Shapes,
  StateShape
} from "./RoomSchema.ts"
import { SchemaError } from "./SchemaError.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import { checkSettings, type SettingsDefinition } from "./Settings.ts"

/** Fields with their names, in wire order; `null` = untyped. */
export type FieldEntries = ReadonlyArray<readonly [name: string, field: AnyField]>
type Entries<T> = ReadonlyArray<readonly [name: string, value: T]>

export interface RpcParts {
  readonly args: FieldEntries | null
  readonly returns: FieldEntries | null
  readonly durable: boolean
}

/** A definition with its order made explicit: what both a program and a descriptor come down to. */
export interface SchemaParts {
  readonly settings: SettingsDefinition
  readonly singletons: Entries<FieldEntries>
  readonly entities: Entries<FieldEntries>
  readonly messages: Entries<FieldEntries | null>
  readonly clientRpcs: Entries<RpcParts>
  readonly serverRpcs: Entries<RpcParts>
  readonly player: FieldEntries
}

/** Checks every limit, name and bound, and makes the schema. Throws `SchemaError`. */
export const buildSchema = (parts: SchemaParts): AnyRoomSchema => {
  const settings = checkSettings(parts.settings)
  const names = [...parts.singletons, ...parts.entities].map(([name]) => name)
  checkCount("entities and singletons", names.length, SchemaLimits.schemaCollections.max)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new SchemaError(`entities.${twice}: the name is there twice`)
  checkCount("messages", parts.messages.length, SchemaLimits.schemaMessages.max)
  const rpcs = parts.clientRpcs.length + parts.serverRpcs.length
  checkCount("rpc", rpcs, SchemaLimits.schemaRpcs.max)
  const collections: ReadonlySet<string> = new Set(parts.entities.map(([name]) => name))
  return Object.freeze({
    ...settings,
    singletons: stateShapes("singletons", parts.singletons, collections),
    collections: stateShapes("entities", parts.entities, collections),
    messages: messageShapes(parts.messages, collections),
    rpc: {
      client: rpcShapes("rpc.client", parts.clientRpcs, collections),
      server: rpcShapes("rpc.server", parts.serverRpcs, collections)
    },
    player: playerFields(parts.player)
  })
}

const checkCount = (what: string, count: number, max: number): void => {
  if (count > max) throw new SchemaError(`${what}: ${count} are over ${max}`)
}

const StateNamePattern = /^[A-Za-z][A-Za-z0-9_]*$/
const CallNamePattern = /^[A-Za-z][A-Za-z0-9_.:-]*$/
// Every record has these, or every object: a value that was left out would seem to be there.
const reserved = (name: string): boolean => name === "id" || name === "toJSON" || name in {}

const checkName = (path: string, name: string, pattern: RegExp): void => {
  const max = SchemaLimits.schemaNameChars.max
  if (name.length > max)
    throw new SchemaError(`${path}: a name of ${name.length} characters is over ${max}`)
  if (!pattern.test(name)) {
    throw new SchemaError(
      `${path}: a name is a letter, then ${pattern === StateNamePattern ? "letters, digits or _" : "letters, digits or _ . : -"}`
    )
  }
  if (reserved(name)) throw new SchemaError(`${path}: the name is taken by every record`)
}

const noCollections: ReadonlySet<string> = new Set()

const fieldList = (
  path: string,
  entries: FieldEntries,
  collections: ReadonlySet<string>
): FieldList => {
  const max = SchemaLimits.schemaFields.max
  if (entries.length > max) {
    throw new SchemaError(`${path}: ${entries.length} fields are over ${max}`)
  }
  const seen = new Set<string>()
  return Object.freeze(
    entries.map(([name, field], index) => {
      const at = `${path}.${name}`
      checkName(at, name, StateNamePattern)
      if (seen.has(name)) throw new SchemaError(`${at}: the name is there twice`)
      seen.add(name)
      if (!isField(field)) throw new SchemaError(`${at}: not a field made by s`)
      const problem = field.problem ?? boundsProblem(field.spec) ?? refProblem(field, collections)
      if (problem !== null) throw new SchemaError(`${at}: ${problem}`)
      return Object.freeze({ name, index, field })
    })
  )
}

const refProblem = (field: AnyField, collections: ReadonlySet<string>): string | null => {
  const spec = field.spec.kind === "list" ? field.spec.of : field.spec
  if (spec.kind !== "ref" || collections.has(spec.collection)) return null
  // Ids mean nothing outside their room, so a persisted one could only mislead.
  if (collections === noCollections) return "an entity id cannot be persisted with a player"
  return `${JSON.stringify(spec.collection)} is not one of the entities`
}

const shapesOf = <T extends { readonly name: string }>(
  path: string,
  list: ReadonlyArray<T>
): Shapes<T> => {
  const byName = new Map<string, T>()
  for (const shape of list) {
    if (byName.has(shape.name)) {
      throw new SchemaError(`${path}.${shape.name}: the name is there twice`)
    }
    byName.set(shape.name, shape)
  }
  return Object.freeze({ list: Object.freeze(list), byName })
}

const stateShapes = (
  path: string,
  entries: Entries<FieldEntries>,
  collections: ReadonlySet<string>
): Shapes<StateShape> =>
  shapesOf(
    path,
    entries.map(([name, fields], index) => {
      checkName(`${path}.${name}`, name, StateNamePattern)
      return Object.freeze({
        name,
        index,
        fields: fieldList(`${path}.${name}`, fields, collections)
      })
    })
  )

const messageShapes = (
  entries: Entries<FieldEntries | null>,
  collections: ReadonlySet<string>
): Shapes<MessageShape> =>
  shapesOf(
    "messages",
    entries.map(([name, fields], index) => {
      const path = `messages.${name}`
      checkName(path, name, CallNamePattern)
      return Object.freeze({
        name,
        index,
        fields: fields === null ? null : fieldList(path, fields, collections)
      })
    })
  )

const rpcShapes = (
  path: string,
  entries: Entries<RpcParts>,
  collections: ReadonlySet<string>
): Shapes<RpcShape> =>
  shapesOf(
    path,
    entries.map(([name, rpc], index) => {
      const at = `${path}.${name}`
      checkName(at, name, CallNamePattern)
      const list = (part: "args" | "returns"): FieldList | null => {
        const fields = rpc[part]
        return fields === null ? null : fieldList(`${at}.${part}`, fields, collections)
      }
      return Object.freeze({
        name,
        index,
        args: list("args"),
        returns: list("returns"),
        durable: rpc.durable
      })
    })
  )

const playerFields = (entries: FieldEntries): FieldList => {
  const fields = fieldList("player", entries, noCollections)
  const max = SchemaLimits.playerFieldsBytes.max
  const bytes = playerBytesMax(fields)
  if (bytes > max) {
    throw new SchemaError(`player: its fields can take ${bytes} bytes, which is over ${max}`)
  }
  return fields
}

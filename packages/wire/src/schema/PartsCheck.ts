import { isField, NotField } from "./Field.ts"
import { boundsProblem, partsProblem } from "./FieldBounds.ts"
import { problemAt } from "./FieldError.ts"
import type { FieldSpec } from "./FieldSpec.ts"
import { CallNamePattern, nameProblem } from "./Names.ts"
import { SchemaError } from "./SchemaError.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import type { Entries, FieldEntries, RpcParts, SchemaParts } from "./SchemaParts.ts"
import { checkSettings } from "./SettingsCheck.ts"
import { playerBytesMax } from "./ValueSize.ts"

/** Throws `SchemaError` for the first part that is past a limit, or has a bad name or bound. */
export const checkParts = (parts: SchemaParts): void => {
  checkSettings(parts.settings)
  const { singletons, entities, messages, clientRpcs, serverRpcs, player } = parts
  const names = [...singletons, ...entities].map(([name]) => name)
  checkCount("entities and singletons", names.length, SchemaLimits.schemaCollections.max)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new SchemaError(`entities.${twice}: the name is there twice`)
  checkCount("messages", messages.length, SchemaLimits.schemaMessages.max)
  checkCount("rpc", clientRpcs.length + serverRpcs.length, SchemaLimits.schemaRpcs.max)
  const collections: ReadonlySet<string> = new Set(entities.map(([name]) => name))
  checkStates("singletons", singletons, collections)
  checkStates("entities", entities, collections)
  checkNames("messages", messages, CallNamePattern)
  for (const [name, fields] of messages) checkFields(`messages.${name}`, fields, collections)
  checkRpcs("rpc.client", clientRpcs, collections)
  checkRpcs("rpc.server", serverRpcs, collections)
  checkFields("player", player, noCollections)
  const bytes = playerBytesMax(player.map(([name, field]) => ({ name, spec: field.spec })))
  const max = SchemaLimits.playerFieldsBytes.max
  if (bytes > max) {
    throw new SchemaError(`player: its fields can take ${bytes} bytes, which is over ${max}`)
  }
}

const checkCount = (what: string, count: number, max: number): void => {
  if (count > max) throw new SchemaError(`${what}: ${count} are over ${max}`)
}

/** Names that fit, each once. */
const checkNames = (path: string, entries: Entries<unknown>, pattern?: RegExp): void => {
  const seen = new Set<string>()
  for (const [name] of entries) {
    const taken = name === "id" ? "the name is taken by every record" : null
    const twice = seen.has(name) ? "the name is there twice" : null
    const problem = nameProblem(name, pattern) ?? taken ?? twice
    if (problem !== null) throw new SchemaError(`${path}.${name}: ${problem}`)
    seen.add(name)
  }
}

const noCollections: ReadonlySet<string> = new Set()

const checkStates = (
  path: string,
  states: Entries<FieldEntries>,
  collections: ReadonlySet<string>
): void => {
  checkNames(path, states)
  for (const [name, fields] of states) checkFields(`${path}.${name}`, fields, collections)
}

const checkRpcs = (
  path: string,
  rpcs: Entries<RpcParts>,
  collections: ReadonlySet<string>
): void => {
  checkNames(path, rpcs, CallNamePattern)
  for (const [name, { args, returns }] of rpcs) {
    checkFields(`${path}.${name}.args`, args, collections)
    checkFields(`${path}.${name}.returns`, returns, collections)
  }
}

const checkFields = (
  path: string,
  entries: FieldEntries | null,
  collections: ReadonlySet<string>
): void => {
  if (entries === null) return
  const max = SchemaLimits.schemaFields.max
  if (entries.length > max) {
    throw new SchemaError(`${path}: ${entries.length} fields are over ${max}`)
  }
  checkNames(path, entries)
  for (const [name, field] of entries) {
    const at = `${path}.${name}`
    if (!isField(field)) throw new SchemaError(`${at}: ${NotField}`)
    const { spec } = field
    const problem = field.problem ?? boundsProblem(spec) ?? refProblem(spec, collections)
    if (problem !== null) throw new SchemaError(problemAt(at, problem))
  }
}

const refProblem = (spec: FieldSpec, collections: ReadonlySet<string>): string | null => {
  if (spec.kind !== "ref") return partsProblem(spec, (part) => refProblem(part, collections))
  if (collections.has(spec.collection)) return null
  // Ids mean nothing outside their room, so a persisted one could only mislead.
  if (collections === noCollections) return "an entity id cannot be persisted with a player"
  return `${JSON.stringify(spec.collection)} is not one of the entities`
}

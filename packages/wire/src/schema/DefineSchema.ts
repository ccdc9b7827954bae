import { buildSchema, type FieldEntries, type RpcParts } from "./BuildSchema.ts"
import type { Fields, RpcDefinition, SchemaDefinition, VoiceDefinition } from "./Definition.ts"
import { isField } from "./Field.ts"
import type { Untyped } from "./FieldKinds.ts"
import type { RoomSchema } from "./RoomSchema.ts"
import { SchemaError } from "./SchemaError.ts"
import { unknownKey } from "./UnknownKey.ts"

/**
 * Declares one room type: its state, messages, RPCs and persisted player fields.
 *
 * Errors: `SchemaError` past a limit, for a bad name or bound or an unknown key, at once and naming
 * the culprit.
 * Source: spec Errors rule 2, Schema limits.
 */
export const defineSchema = <const D extends SchemaDefinition>(definition: D): RoomSchema<D> => {
  const given: SchemaDefinition = definition
  demandKnown("", given, DefinitionKeys)
  if (given.rpc !== undefined) demandKnown("rpc.", given.rpc, RpcSideKeys)
  if (given.voice !== undefined) demandKnown("voice.", given.voice, VoiceKeys)
  const { entities, singletons, messages, rpc, player, ...settings } = given
  const schema = buildSchema({
    settings,
    entities: shapeEntries("entities", entities),
    singletons: shapeEntries("singletons", singletons),
    messages: named("messages", messages).map(([name, fields]) => [
      name,
      payloadEntries(`messages.${name}`, fields)
    ]),
    clientRpcs: rpcEntries("rpc.client", rpc?.client),
    serverRpcs: rpcEntries("rpc.server", rpc?.server),
    player: fieldEntries("player", player ?? {})
  })
  // `~definition` is for the compiler only: at run time every schema has one shape.
  return schema as RoomSchema<D>
}

const DefinitionKeys = Object.keys({
  type: true,
  class: true,
  maxClients: true,
  tickHz: true,
  hibernateAfterMs: true,
  reconnectForMs: true,
  retention: true,
  queue: true,
  voice: true,
  replay: true,
  project: true,
  entities: true,
  singletons: true,
  messages: true,
  rpc: true,
  player: true
} satisfies Record<keyof SchemaDefinition, true>)

const RpcSideKeys = Object.keys({
  client: true,
  server: true
} satisfies Record<keyof NonNullable<SchemaDefinition["rpc"]>, true>)

const RpcKeys = Object.keys({
  args: true,
  returns: true,
  durable: true
} satisfies Record<keyof RpcDefinition, true>)

const VoiceKeys = Object.keys({ participants: true } satisfies Record<keyof VoiceDefinition, true>)

/** `path` ends with the dot before the key. */
export const demandKnown = (path: string, declared: object, known: ReadonlyArray<string>): void => {
  if (typeof declared !== "object" || declared === null || Array.isArray(declared)) {
    throw new SchemaError(`${path === "" ? "schema" : path.slice(0, -1)}: must be an object`)
  }
  const problem = unknownKey(declared, known)
  if (problem !== null) throw new SchemaError(path + problem)
}

const named = <T>(
  path: string,
  group: Readonly<Record<string, T>> | undefined
): ReadonlyArray<[string, T]> => {
  if (group === undefined) return []
  if (typeof group !== "object" || group === null || Array.isArray(group)) {
    throw new SchemaError(`${path}: must be an object`)
  }
  return Object.entries(group)
}

const fieldEntries = (path: string, fields: Fields): FieldEntries => {
  if (isField(fields)) throw new SchemaError(`${path}: must be an object of fields`)
  return named(path, fields)
}

/** The shapes of a group, such as `entities`, with their names. */
export const shapeEntries = (
  path: string,
  group: Readonly<Record<string, Fields>> | undefined
): ReadonlyArray<readonly [string, FieldEntries]> =>
  named(path, group).map(([name, fields]) => [name, fieldEntries(`${path}.${name}`, fields)])

const isUntyped = (payload: Fields | Untyped): payload is Untyped =>
  payload !== null && typeof payload === "object" && Object.is(payload.kind, "untyped")

const payloadEntries = (path: string, payload: Fields | Untyped): FieldEntries | null =>
  isUntyped(payload) ? null : fieldEntries(path, payload)

const rpcEntries = (
  path: string,
  group: Readonly<Record<string, RpcDefinition>> | undefined
): ReadonlyArray<readonly [string, RpcParts]> =>
  named(path, group).map(([name, rpc]) => {
    demandKnown(`${path}.${name}.`, rpc, RpcKeys)
    if (rpc.durable !== undefined && typeof rpc.durable !== "boolean") {
      throw new SchemaError(`${path}.${name}.durable: must be true or false`)
    }
    return [
      name,
      {
        args: payloadEntries(`${path}.${name}.args`, rpc.args ?? {}),
        returns: payloadEntries(`${path}.${name}.returns`, rpc.returns ?? {}),
        durable: rpc.durable === true
      }
    ]
  })

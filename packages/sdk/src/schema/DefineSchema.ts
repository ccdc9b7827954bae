import { buildSchema, type FieldEntries, type RpcParts } from "./BuildSchema.ts"
import type { Fields, RpcDefinition, SchemaDefinition } from "./Definition.ts"
import { isField } from "./Field.ts"
import type { Untyped } from "./FieldKinds.ts"
import type { RoomSchema } from "./RoomSchema.ts"
import { SchemaError } from "./SchemaError.ts"

/**
 * Declares one room type: its state, messages, RPCs and persisted player fields.
 *
 * Errors: `SchemaError` past a limit, for a bad name or bound, at once and naming the culprit.
 * Source: spec Errors rule 2, Schema limits.
 */
export const defineSchema = <const D extends SchemaDefinition>(definition: D): RoomSchema<D> => {
  const given: SchemaDefinition = definition
  const { entities, singletons, messages, rpc, player, ...settings } = given
  const schema = buildSchema({
    settings,
    entities: named("entities", entities).map(([name, fields]) => [
      name,
      fieldEntries(`entities.${name}`, fields)
    ]),
    singletons: named("singletons", singletons).map(([name, fields]) => [
      name,
      fieldEntries(`singletons.${name}`, fields)
    ]),
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

const isUntyped = (payload: Fields | Untyped): payload is Untyped =>
  payload !== null && typeof payload === "object" && Object.is(payload.kind, "untyped")

const payloadEntries = (path: string, payload: Fields | Untyped): FieldEntries | null =>
  isUntyped(payload) ? null : fieldEntries(path, payload)

const rpcEntries = (
  path: string,
  group: Readonly<Record<string, RpcDefinition>> | undefined
): ReadonlyArray<readonly [string, RpcParts]> =>
  named(path, group).map(([name, rpc]) => {
    if (typeof rpc !== "object" || rpc === null) {
      throw new SchemaError(`${path}.${name}: must be an object`)
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

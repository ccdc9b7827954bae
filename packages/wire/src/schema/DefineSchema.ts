import * as checks from "#schema/SchemaChecks"

import { buildSchema } from "./BuildSchema.ts"
import type { Fields, RpcDefinition, SchemaDefinition } from "./Definition.ts"
import type { RoomSchema } from "./RoomSchema.ts"
import type { Entries, FieldEntries, RpcParts } from "./SchemaParts.ts"
import { isUntyped, type Untyped } from "./Untyped.ts"

/**
 * Declares one room type: its state, messages, RPCs and persisted player fields.
 *
 * Errors: `SchemaError` past a limit, for a bad name or bound or an unknown key, at once and naming
 * the culprit.
 * Source: spec Errors rule 2, Schema limits.
 */
export const defineSchema = <const D extends SchemaDefinition>(definition: D): RoomSchema<D> => {
  const given: SchemaDefinition = definition
  checks.checkDefinition(given)
  const { entities, singletons, messages, rpc, player, ...settings } = given
  const schema = buildSchema({
    settings,
    entities: shapeEntries(entities),
    singletons: shapeEntries(singletons),
    messages: Object.entries(messages ?? {}).map(([name, fields]) => [name, payload(fields)]),
    clientRpcs: rpcEntries(rpc?.client),
    serverRpcs: rpcEntries(rpc?.server),
    player: Object.entries(player ?? {})
  })
  // `~definition` is for the compiler only: at run time every schema has one shape.
  return schema as RoomSchema<D>
}

/** The shapes of a group, such as `entities`, with their names. */
export const shapeEntries = (group: Readonly<Record<string, Fields>> = {}): Entries<FieldEntries> =>
  Object.entries(group).map(([name, fields]) => [name, Object.entries(fields)])

const payload = (fields: Fields | Untyped = {}): FieldEntries | null =>
  isUntyped(fields) ? null : Object.entries(fields)

const rpcEntries = (group: Readonly<Record<string, RpcDefinition>> = {}): Entries<RpcParts> =>
  Object.entries(group).map(([name, { args, returns, durable }]) => [
    name,
    { args: payload(args), returns: payload(returns), durable: durable === true }
  ])

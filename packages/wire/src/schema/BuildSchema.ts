import * as checks from "#schema/SchemaChecks"

import type {
  AnyRoomSchema,
  FieldList,
  MessageShape,
  RpcShape,
  Shapes,
  StateShape
} from "./RoomSchema.ts"
import type { Entries, FieldEntries, RpcParts, SchemaParts } from "./SchemaParts.ts"
import { withSettings } from "./Settings.ts"

/** Checks every limit, name and bound, and makes the schema. Throws `SchemaError`. */
export const buildSchema = (parts: SchemaParts): AnyRoomSchema => {
  checks.checkParts(parts)
  return Object.freeze({
    ...withSettings(parts.settings),
    singletons: shapesOf(parts.singletons, stateShape),
    collections: shapesOf(parts.entities, stateShape),
    messages: shapesOf(parts.messages, messageShape),
    rpc: {
      client: shapesOf(parts.clientRpcs, rpcShape),
      server: shapesOf(parts.serverRpcs, rpcShape)
    },
    player: fieldList(parts.player)
  })
}

type Made<P, T> = (name: string, index: number, part: P) => T

const shapesOf = <P, T extends { readonly name: string }>(
  parts: Entries<P>,
  make: Made<P, T>
): Shapes<T> => {
  const list = parts.map(([name, part], index) => Object.freeze(make(name, index, part)))
  return Object.freeze({
    list: Object.freeze(list),
    byName: new Map(list.map((shape) => [shape.name, shape]))
  })
}

const stateShape: Made<FieldEntries, StateShape> = (name, index, fields) => ({
  name,
  index,
  fields: fieldList(fields)
})

const messageShape: Made<FieldEntries | null, MessageShape> = (name, index, fields) => ({
  name,
  index,
  fields: payload(fields)
})

const rpcShape: Made<RpcParts, RpcShape> = (name, index, { args, returns, durable }) => ({
  name,
  index,
  args: payload(args),
  returns: payload(returns),
  durable
})

const payload = (entries: FieldEntries | null): FieldList | null =>
  entries === null ? null : fieldList(entries)

const fieldList = (entries: FieldEntries): FieldList =>
  Object.freeze(entries.map(([name, field], index) => Object.freeze({ name, index, field })))

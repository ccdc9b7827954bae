import { describeKind } from "./Describe.ts"
import type { AnyRoomSchema, FieldList, RpcShape, Shapes } from "./RoomSchema.ts"

/**
 * The first difference that an older snapshot, client or stored player cannot bridge, as a sentence
 * that names it; `null` when there is none. Whatever was declared must still be declared, with the
 * same kind and bounds. What is new, defaults, order and `durable` break nothing: states are carried
 * over by name, and a client with another layout is sent the room's own.
 */
export const breakingDifference = (old: AnyRoomSchema, next: AnyRoomSchema): string | null =>
  shapesDifference("entities", old.collections, next.collections) ??
  shapesDifference("singletons", old.singletons, next.singletons) ??
  shapesDifference("messages", old.messages, next.messages) ??
  rpcsDifference("rpc.client", old.rpc.client, next.rpc.client) ??
  rpcsDifference("rpc.server", old.rpc.server, next.rpc.server) ??
  fieldsDifference("player", old.player, next.player)

const firstOf = <T>(
  items: ReadonlyArray<T>,
  difference: (item: T) => string | null
): string | null => {
  for (const item of items) {
    const found = difference(item)
    if (found !== null) return found
  }
  return null
}

const shapesDifference = (
  path: string,
  old: Shapes<{ readonly name: string; readonly fields: FieldList | null }>,
  next: typeof old
): string | null =>
  firstOf(old.list, ({ name, fields }) => {
    const after = next.byName.get(name)
    if (after === undefined) return `${path}.${name} was removed`
    return payloadDifference(`${path}.${name}`, fields, after.fields)
  })

const rpcsDifference = (
  path: string,
  old: Shapes<RpcShape>,
  next: Shapes<RpcShape>
): string | null =>
  firstOf(old.list, (rpc) => {
    const at = `${path}.${rpc.name}`
    const after = next.byName.get(rpc.name)
    if (after === undefined) return `${at} was removed`
    return (
      payloadDifference(`${at}.args`, rpc.args, after.args) ??
      payloadDifference(`${at}.returns`, rpc.returns, after.returns)
    )
  })

const payloadDifference = (
  path: string,
  old: FieldList | null,
  next: FieldList | null
): string | null => {
  if (old === null) return next === null ? null : `${path} was untyped and has fields now`
  if (next === null) return `${path} had fields and is untyped now`
  return fieldsDifference(path, old, next)
}

const fieldsDifference = (path: string, old: FieldList, next: FieldList): string | null => {
  const after = new Map(next.map(({ name, field }) => [name, field]))
  return firstOf(old, ({ name, field }) => {
    const found = after.get(name)
    if (found === undefined) return `${path}.${name} was removed`
    const [was, is] = [describeKind(field.spec), describeKind(found.spec)].map((kind) =>
      JSON.stringify(kind)
    )
    return was === is ? null : `${path}.${name} was ${was} and is ${is}`
  })
}

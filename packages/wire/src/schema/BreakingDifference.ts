import { describeKind } from "./Describe.ts"
import type { FieldDescriptor } from "./Descriptor.ts"
import type { AnyRoomSchema, FieldList, RpcShape, Shapes } from "./RoomSchema.ts"

/**
 * The first difference that an older snapshot, client or stored player cannot bridge, as a sentence
 * that names it; `null` when there is none. All that was declared must still be declared, with the
 * same kind and bounds: also wider ones break, as the code of an older client never meant to meet
 * what they allow. What is new, defaults, order and `durable` break nothing: states are carried
 * over by name, and a client with another layout is sent the room's own. Source: C-09, C-56.
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
    return kindDifference(`${path}.${name}`, describeKind(field.spec), describeKind(found.spec))
  })
}

const kindDifference = (path: string, was: FieldDescriptor, is: FieldDescriptor): string | null => {
  if (was.choices !== undefined && is.choices !== undefined) {
    return choicesDifference(path, was.choices, is.choices)
  }
  if (was.of !== undefined && is.of !== undefined && was.maxLength === is.maxLength) {
    return kindDifference(`${path}[]`, was.of, is.of)
  }
  const [before, after] = [kindText(was), kindText(is)]
  return before === after ? null : `${path} was ${before} and is ${after}`
}

/** The order counts: a choice travels as its place. */
const choicesDifference = (
  path: string,
  was: ReadonlyArray<string>,
  is: ReadonlyArray<string>
): string | null => {
  const length = Math.max(was.length, is.length)
  for (let place = 0; place < length; place += 1) {
    const [before, after] = [was[place], is[place]]
    if (before === after) continue
    if (before === undefined) return `${path} has the new choice ${JSON.stringify(after)}`
    if (after === undefined) return `${path} has lost the choice ${JSON.stringify(before)}`
    const [from, to] = [before, after].map((choice) => JSON.stringify(choice))
    return `${path}: choice ${place + 1} was ${from} and is ${to}`
  }
  return null
}

/** A kind with its bounds, about as a schema writes it: a refusal has 96 bytes for all it says. */
const kindText = ({ kind, ...bounds }: FieldDescriptor): string => {
  const { min, max, step, maxBytes, collection, of, maxLength } = bounds
  if (of !== undefined) return `${kind}(${kindText(of)}, ${maxLength})`
  if (step !== undefined) return `${kind}(${min} to ${max} by ${step})`
  if (maxBytes !== undefined) return `${kind}(${maxBytes})`
  return collection === undefined ? kind : `${kind}(${collection})`
}

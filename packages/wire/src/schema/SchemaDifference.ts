import type { AnyField } from "./Field.ts"
import type { AnyRoomSchema, FieldList } from "./RoomSchema.ts"

/** What is wrong with a field in the place of an older one, as a sentence; `null` = nothing. */
export type FieldJudge = (path: string, was: AnyField, is: AnyField) => string | null

/**
 * The first thing that a client of the old schema misses in the next one, as a sentence that names it;
 * `null` = none. All that was declared must still be declared; each field is judged. What is new,
 * defaults, order and `durable` make no difference: all goes by name. Source: C-56.
 */
export const schemaDifference = (
  old: AnyRoomSchema,
  next: AnyRoomSchema,
  judge: FieldJudge
): string | null => {
  const payload = (path: string, was: FieldList | null, is: FieldList | null): string | null => {
    if (was === null) return is === null ? null : `${path} was untyped and has fields now`
    if (is === null) return `${path} had fields and is untyped now`
    return fieldsDifference(path, [was, is], judge)
  }
  const stated = (path: string, was: Stated, is: Stated): string | null =>
    payload(path, was.fields, is.fields)
  const called = (path: string, was: Called, is: Called): string | null =>
    payload(`${path}.args`, was.args, is.args) ??
    payload(`${path}.returns`, was.returns, is.returns)
  return (
    namedDifference("entities", [old.collections.list, next.collections.list], stated) ??
    namedDifference("singletons", [old.singletons.list, next.singletons.list], stated) ??
    namedDifference("messages", [old.messages.list, next.messages.list], stated) ??
    namedDifference("rpc.client", [old.rpc.client.list, next.rpc.client.list], called) ??
    namedDifference("rpc.server", [old.rpc.server.list, next.rpc.server.list], called)
  )
}

/** The same of the fields of one shape. */
export const fieldsDifference = (
  path: string,
  lists: readonly [was: FieldList, is: FieldList],
  judge: FieldJudge
): string | null => namedDifference(path, lists, (at, was, is) => judge(at, was.field, is.field))

interface Stated {
  readonly fields: FieldList | null
}

interface Called {
  readonly args: FieldList | null
  readonly returns: FieldList | null
}

/** The first difference of what has a name, in the order of the old list. */
const namedDifference = <T extends { readonly name: string }>(
  path: string,
  [was, is]: readonly [ReadonlyArray<T>, ReadonlyArray<T>],
  difference: (path: string, was: T, is: T) => string | null
): string | null => {
  const byName = new Map(is.map((each) => [each.name, each]))
  for (const each of was) {
    const at = `${path}.${each.name}`
    const after = byName.get(each.name)
    const found = after === undefined ? `${at} was removed` : difference(at, each, after)
    if (found !== null) return found
  }
  return null
}

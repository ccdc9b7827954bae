import { plainForm } from "@atrium/wire/codec/PlainForm"
import { checkKeys } from "@atrium/wire/codec/RecordCodec"
import { FieldError, problemAt } from "@atrium/wire/schema/FieldError"
import type { CollectionView, StateOf, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { Wire } from "@atrium/wire/schema/Wire"

import { SendError } from "./ClientErrors.ts"

type Names<S> = keyof ViewOf<S> & string

/** Collections of a schema, by name. */
export type CollectionName<S> = {
  [C in Names<S>]: ViewOf<S>[C] extends CollectionView<unknown> ? C : never
}[Names<S>]

/** Singletons of a schema, by name. */
export type SingletonName<S> = Exclude<Names<S>, CollectionName<S>>

/** Some fields of a record of a collection, or of a singleton. */
export type SomeValues<S, C extends Names<S>> = Partial<
  Readonly<
    StateOf<S>[C] extends CollectionView<infer E>
      ? Omit<E, "id" | "toJSON">
      : Omit<StateOf<S>[C], "toJSON">
  >
>

/** One change of a relay room's state. Fields that an add leaves out have their defaults. */
export type RelayOp<S> =
  | {
      [C in CollectionName<S>]:
        | { readonly op: "add"; readonly collection: C; readonly values?: SomeValues<S, C> }
        | {
            readonly op: "set"
            readonly collection: C
            readonly id: number
            readonly values: SomeValues<S, C>
          }
        | { readonly op: "remove"; readonly collection: C; readonly id: number }
    }[CollectionName<S>]
  | {
      [C in SingletonName<S>]: {
        readonly op: "set"
        readonly collection: C
        readonly values: SomeValues<S, C>
      }
    }[SingletonName<S>]

/** The same without what a schema says of it. */
export interface PlainOp {
  readonly op: "add" | "set" | "remove"
  readonly collection: string
  readonly id?: number
  readonly values?: object
}

/** The key of a singleton on the wire. */
const SingletonKey = 0

/**
 * An operation as frames carry it. Throws `SendError` for a name that the schema does not have, and
 * `FieldError` for a value that does not fit.
 */
export const relayOpFrame = (schema: AnyRoomSchema, op: PlainOp): object => {
  const { collection, id, values } = op
  const shape =
    schema.collections.byName.get(collection) ??
    (op.op === "set" ? schema.singletons.byName.get(collection) : undefined)
  if (shape === undefined) {
    const text = `${collection}: the schema has no such collection or singleton`
    throw new SendError("E_UNKNOWN_NAME", text)
  }
  if (op.op === "remove") return { op: op.op, c: collection, k: id }
  const given = values ?? {}
  checkKeys(shape.fields, given, collection)
  const fields: Record<string, unknown> = {}
  for (const { name, field } of shape.fields) {
    const value: unknown = Reflect.get(given, name)
    // An optional that is given as absent is a value as others are.
    if (value === undefined && !(field.wire === Wire.optional && name in given)) continue
    const problem = field.check(value)
    if (problem !== null) throw new FieldError(problemAt(`${collection}.${name}`, problem))
    // msgpack has no maps of other keys than texts.
    fields[name] = (field.live ? plainForm(value) : value) ?? null
  }
  if (op.op === "add") return { op: op.op, c: collection, v: fields }
  return { op: op.op, c: collection, k: id ?? SingletonKey, v: fields }
}

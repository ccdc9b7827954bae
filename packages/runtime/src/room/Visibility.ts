import type { HiddenDefinition, ReadonlyHiddenOf } from "@atrium/wire/schema/HiddenState"
import type {
  PartOf,
  ReadonlyEntityOf,
  ReadonlySingletonOf,
  ReadonlyStateOf
} from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema, StateShape } from "@atrium/wire/schema/RoomSchema"
import { unknownKey } from "@atrium/wire/schema/UnknownKey"
import type { Asks, ShapeRules } from "@atrium/wire/views/ViewRule"

import type { RoomClient } from "./RoomClient.ts"

/** The rest of the state, as a rule of visibility reads it: nothing in it can be assigned. */
export interface VisibleRoom<S extends AnyRoomSchema, H extends HiddenDefinition> {
  readonly state: ReadonlyStateOf<S>
  readonly hidden: ReadonlyHiddenOf<H>
}

/** The names of the text fields of a record. */
type TextFields<R> = { [K in keyof R]: R[K] extends string ? K : never }[keyof R] & string

/** Who sees a record, or a field. One of `to` and `visibleTo` says it. */
export interface Visibility<S extends AnyRoomSchema, H extends HiddenDefinition, R> {
  /** The player whose id is in a text field of the record, whichever client the player has. */
  readonly to?: "owner"
  /** The text field with the owner's player id; `owner` when left out. */
  readonly owner?: TextFields<R>
  /**
   * Says whether a client sees it. It is asked again when something changed that it has read of its arguments; for
   * anything else that it reads, call `room.views.refresh`. What throws, or is not `true`, shows nothing.
   */
  readonly visibleTo?: (client: RoomClient<S>, record: R, room: VisibleRoom<S, H>) => boolean
}

/** Who sees the records of a collection, or a singleton, and single fields of those who see it. */
export interface ShapeVisibility<
  S extends AnyRoomSchema,
  H extends HiddenDefinition,
  R,
  F
> extends Visibility<S, H, R> {
  readonly fields?: { readonly [K in keyof F]?: Visibility<S, H, R> }
}

/** Who sees what of the state, by collection and singleton. All clients see what is left out. */
export type VisibleState<S extends AnyRoomSchema, H extends HiddenDefinition> = {
  readonly [
    K in keyof PartOf<S, "entities"> | keyof PartOf<S, "singletons">
  ]?: K extends keyof PartOf<S, "entities">
    ? ShapeVisibility<S, H, ReadonlyEntityOf<PartOf<S, "entities">[K]>, PartOf<S, "entities">[K]>
    : K extends keyof PartOf<S, "singletons">
      ? ShapeVisibility<
          S,
          H,
          ReadonlySingletonOf<PartOf<S, "singletons">[K]>,
          PartOf<S, "singletons">[K]
        >
      : never
}

/** Rules of a room by the name of their collection or singleton. */
export type RoomRules = ReadonlyMap<string, ShapeRules<RoomClient>>

/** Reads the rules of a room. Throws an `Error` that names the place of what makes no sense. */
export const rulesOf = (schema: AnyRoomSchema, visible: object): RoomRules => {
  const rules = new Map<string, ShapeRules<RoomClient>>()
  for (const [name, declared] of Object.entries(visible)) {
    const path = `${schema.type}.visible.${name}`
    const shape = schema.collections.byName.get(name) ?? schema.singletons.byName.get(name)
    if (shape === undefined) {
      throw new Error(`${path}: the schema has no such collection or singleton`)
    }
    const { fields, ...whole } = objectAt(path, declared, ["to", "owner", "visibleTo", "fields"])
    const ofFields = fieldRules(path, shape, fields ?? {})
    const isWhole = Object.keys(whole).length > 0
    if (!isWhole && ofFields.size === 0) throw new Error(`${path}: says nothing`)
    rules.set(name, { record: isWhole ? ruleOf(path, shape, whole) : null, fields: ofFields })
  }
  return rules
}

const fieldRules = (
  path: string,
  shape: StateShape,
  fields: unknown
): ReadonlyMap<string, Asks<RoomClient>> => {
  const names = shape.fields.map(({ name }) => name)
  return new Map(
    Object.entries(objectAt(`${path}.fields`, fields, names)).map(([field, declared]) => {
      const at = `${path}.fields.${field}`
      return [field, ruleOf(at, shape, objectAt(at, declared, ["to", "owner", "visibleTo"]))]
    })
  )
}

type Declared = Readonly<Record<string, unknown>>

const objectAt = (path: string, value: unknown, known: ReadonlyArray<string>): Declared => {
  if (typeof value !== "object" || value === null) throw new Error(`${path}: must be an object`)
  const problem = unknownKey(value, known)
  if (problem !== null) throw new Error(`${path}.${problem}`)
  // An object is what it was tried for, and its values are looked at before they are used.
  return value as Declared
}

const ruleOf = (path: string, shape: StateShape, declared: Declared): Asks<RoomClient> => {
  const { to, owner, visibleTo } = declared
  if (visibleTo !== undefined) {
    if (to !== undefined || owner !== undefined) {
      throw new Error(`${path}: to and visibleTo exclude each other`)
    }
    if (typeof visibleTo !== "function") throw new Error(`${path}.visibleTo: is not a function`)
    // The types of the rule are those of its schema, which are gone at run time.
    return visibleTo as Asks<RoomClient>
  }
  if (to !== "owner") throw new Error(`${path}: needs to: "owner", or visibleTo`)
  const field = owner ?? "owner"
  const found = shape.fields.find(({ name }) => name === field)
  if (found?.field.spec.kind !== "string") {
    throw new Error(`${path}.owner: ${String(field)} is no text field of ${shape.name}`)
  }
  return ownedBy(found.name)
}

/** Nobody's player id is empty. */
const ownedBy =
  (field: string): Asks<RoomClient> =>
  ({ playerId }, record) =>
    playerId !== "" && Reflect.get(record, field) === playerId

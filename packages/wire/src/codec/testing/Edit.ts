import fc from "fast-check"

import type { AnyField } from "../../schema/Field.ts"
import type { FieldSpec } from "../../schema/FieldSpec.ts"
import { fieldValue, keyValue } from "../../schema/testing/ArbitrarySchema.ts"

/** One thing that room code does to a value. A `pick` chooses among what is there, by remainder. */
export type Edit =
  | { readonly kind: "assign"; readonly value: unknown }
  /** Within a field of a struct. */
  | { readonly kind: "part"; readonly name: string; readonly edit: Edit }
  /** Within an entry of a map. */
  | { readonly kind: "entry"; readonly pick: number; readonly edit: Edit }
  | { readonly kind: "put"; readonly key: unknown; readonly value: unknown }
  | { readonly kind: "delete"; readonly pick: number }
  | { readonly kind: "clear" }
  /** Within an item of a list. */
  | { readonly kind: "item"; readonly pick: number; readonly edit: Edit }
  /** A list of some of its own items, in any order, and others. */
  | {
      readonly kind: "relist"
      readonly picks: ReadonlyArray<number>
      readonly more: ReadonlyArray<unknown>
    }

const pick = fc.nat({ max: 9 })

/** Anything that can be done to a value of a field. */
export const editOf = (spec: FieldSpec): fc.Arbitrary<Edit> => {
  const assign = fieldValue(spec).map((value): Edit => ({ kind: "assign", value }))
  switch (spec.kind) {
    case "struct":
      return fc.oneof(
        assign,
        ...spec.fields.map(({ name, spec: part }) =>
          editOf(part).map((edit): Edit => ({ kind: "part", name, edit }))
        )
      )
    case "map": {
      const value = fieldValue(spec.value)
      const edit = editOf(spec.value)
      return fc.oneof(
        assign,
        { weight: 4, arbitrary: entryEdit("put", { key: keyValue(spec.key), value }) },
        { weight: 2, arbitrary: entryEdit("delete", { pick }) },
        fc.constant<Edit>({ kind: "clear" }),
        { weight: 3, arbitrary: entryEdit("entry", { pick, edit }) }
      )
    }
    case "list": {
      const picks = fc.array(pick, { maxLength: 4 })
      const more = fc.array(fieldValue(spec.of), { maxLength: 2 })
      return fc.oneof(
        assign,
        { weight: 3, arbitrary: entryEdit("relist", { picks, more }) },
        { weight: 3, arbitrary: entryEdit("item", { pick, edit: editOf(spec.of) }) }
      )
    }
    case "optional":
      return fc.oneof(assign, editOf(spec.of))
    default:
      return assign
  }
}

const entryEdit = (kind: Edit["kind"], parts: Record<string, fc.Arbitrary<unknown>>) =>
  // Each call has the parts of its kind.
  fc.record({ kind: fc.constant(kind), ...parts }) as fc.Arbitrary<Edit>

/** A value where it is: in a record, a struct, a map or a list. */
interface Spot {
  readonly get: () => unknown
  /** `null`: an item of a list is not assigned. */
  readonly set: ((value: unknown) => void) | null
}

/** A property of an object. */
export const spotIn = (holder: object, name: string): Spot => ({
  get: () => Reflect.get(holder, name),
  set: (value) => {
    if (!Reflect.set(holder, name, value)) throw new Error(`${name} is not assignable`)
  }
})

/** A value of a field as a plain program would hold it: objects, arrays and maps of its own. */
export const plainValue = (field: AnyField, value: unknown): unknown =>
  structuredClone(field.normal(value))

/**
 * Does an edit. What does not fit any more by what is there, such as an entry too many, is not done.
 *
 * @param make what becomes of a value that is put in
 */
export const takeEdit = (
  spot: Spot,
  field: AnyField,
  [edit, make]: readonly [Edit, (field: AnyField, value: unknown) => unknown]
): void => {
  const value = spot.get()
  const { item, spec } = field
  if (spec.kind === "optional" && item !== null && edit.kind !== "assign") {
    if (value !== undefined) takeEdit(spot, item, [edit, make])
    return
  }
  switch (edit.kind) {
    case "assign":
      // An optional passes on edits of what it holds, which may be values that it does not take.
      if (field.check(edit.value) === null) spot.set?.(make(field, edit.value))
      return
    case "part": {
      const part = field.fields.find(({ name }) => name === edit.name)
      if (part !== undefined)
        takeEdit(spotIn(Object(value), edit.name), part.field, [edit.edit, make])
      return
    }
    case "item":
    case "relist":
      if (Array.isArray(value)) takeListEdit({ spot, value }, field, [edit, make])
      return
    default:
      takeMapEdit(Object(value), field, [edit, make])
  }
}

const takeListEdit = (
  { spot, value }: { readonly spot: Spot; readonly value: ReadonlyArray<unknown> },
  { item, spec }: AnyField,
  [edit, make]: readonly [Edit, (field: AnyField, value: unknown) => unknown]
): void => {
  if (item === null || spec.kind !== "list") return
  if (edit.kind === "item" && value.length > 0) {
    const held = value[edit.pick % value.length]
    takeEdit({ get: () => held, set: null }, item, [edit.edit, make])
  }
  if (edit.kind !== "relist") return
  const picks = value.length === 0 ? [] : edit.picks.map((each) => each % value.length)
  const own = picks.map((each, at) =>
    // An item is in one place: what is there twice is a copy.
    picks.indexOf(each) === at ? value[each] : make(item, value[each])
  )
  const more = edit.more.map((each) => make(item, each))
  spot.set?.([...own, ...more].slice(0, spec.maxLength))
}

/** As room code and a plain program change a map. */
interface LooseMap {
  readonly size: number
  get(key: unknown): unknown
  has(key: unknown): boolean
  set(key: unknown, value: unknown): unknown
  delete(key: unknown): boolean
  clear(): void
  keys(): Iterable<unknown>
}

const takeMapEdit = (
  map: LooseMap,
  { item, key: keys, spec }: AnyField,
  [edit, make]: readonly [Edit, (field: AnyField, value: unknown) => unknown]
): void => {
  if (item === null || keys === null || spec.kind !== "map") return
  const there = [...map.keys()]
  switch (edit.kind) {
    case "put": {
      const key = keys.normal(edit.key)
      if (map.has(key) || map.size < spec.maxEntries) map.set(key, make(item, edit.value))
      return
    }
    case "delete":
      map.delete(there[edit.pick % Math.max(1, there.length)])
      return
    case "clear":
      map.clear()
      return
    case "entry": {
      if (there.length === 0) return
      const key = there[edit.pick % there.length]
      const set = (value: unknown): void => void map.set(key, value)
      takeEdit({ get: () => map.get(key), set }, item, [edit.edit, make])
      return
    }
    case "assign":
    case "part":
    case "item":
    case "relist":
      return
  }
}

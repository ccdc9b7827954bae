import fc from "fast-check"

import type { AnyRoomSchema, NamedField, StateShape } from "../../schema/RoomSchema.ts"
import { fieldValue, partialValue } from "../../schema/testing/ArbitrarySchema.ts"
import type { RoomState } from "../RoomState.ts"
import { type Edit, editOf, spotIn, takeEdit } from "./Edit.ts"

/** One thing that room code does. `pick` chooses among what is there, by remainder. */
export type Step =
  | { readonly kind: "add"; readonly collection: string; readonly values: object }
  | { readonly kind: "remove"; readonly collection: string; readonly pick: number }
  | { readonly kind: "clear"; readonly collection: string }
  | {
      readonly kind: "set"
      readonly shape: string
      readonly field: string
      readonly value: unknown
      readonly pick: number
    }
  | {
      readonly kind: "edit"
      readonly shape: string
      readonly named: NamedField
      readonly edit: Edit
      readonly pick: number
    }
  | { readonly kind: "flush" }

const pick = fc.nat({ max: 50 })

const setStep = (shape: StateShape): ReadonlyArray<fc.Arbitrary<Step>> =>
  shape.fields.map(({ name, field }) =>
    fc.record({
      kind: fc.constant("set" as const),
      shape: fc.constant(shape.name),
      field: fc.constant(name),
      value: fieldValue(field.spec),
      pick
    })
  )

/** Edits of values that change where they are. */
const editStep = (shape: StateShape): ReadonlyArray<fc.Arbitrary<Step>> =>
  shape.fields
    .filter(({ field }) => field.live)
    .map((named) =>
      fc.record({
        kind: fc.constant("edit" as const),
        shape: fc.constant(shape.name),
        named: fc.constant(named),
        edit: editOf(named.field.spec),
        pick
      })
    )

/** Any history of a schema's state. */
export const historyOf = (schema: AnyRoomSchema): fc.Arbitrary<ReadonlyArray<Step>> => {
  const collections = schema.collections.list
  const shapes = [...schema.singletons.list, ...collections]
  const sets = shapes.flatMap(setStep)
  const edits = shapes.flatMap(editStep)
  const adds = collections.map((shape): fc.Arbitrary<Step> =>
    fc.record({
      kind: fc.constant("add" as const),
      collection: fc.constant(shape.name),
      values: partialValue(shape.fields)
    })
  )
  const collection = fc.constantFrom(...collections.map(({ name }) => name))
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...adds) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), collection, pick }) },
    { weight: 3, arbitrary: fc.constant({ kind: "flush" } as const) },
    ...(sets.length === 0 ? [] : [{ weight: 6, arbitrary: fc.oneof(...sets) }]),
    ...(edits.length === 0 ? [] : [{ weight: 6, arbitrary: fc.oneof(...edits) }]),
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), collection }) }
  )
  return fc.array(step, { maxLength: 60, size: "max" })
}

/** Tables of a state whose names are not known to the compiler. */
interface LooseCollection extends Iterable<{ readonly id: number }> {
  add(values: object): { readonly id: number }
  remove(id: number): boolean
  clear(): void
}

const collectionOf = (room: RoomState<AnyRoomSchema>, name: string): LooseCollection =>
  // Every name that a history holds is a collection of its schema.
  Reflect.get(room.state, name) as LooseCollection

/** A record of a collection, or the one of a singleton. */
const pickedRow = (
  room: RoomState<AnyRoomSchema>,
  { shape, pick: place }: { readonly shape: string; readonly pick: number }
): object | null => {
  const target: unknown = Reflect.get(room.state, shape)
  const rows = isIterable(target) ? [...target] : [target]
  const row = rows[place % Math.max(1, rows.length)]
  return typeof row === "object" && row !== null ? row : null
}

/** Does one step; a flush is the caller's. */
export const takeStep = (room: RoomState<AnyRoomSchema>, step: Step): void => {
  switch (step.kind) {
    case "add":
      collectionOf(room, step.collection).add(step.values)
      return
    case "remove": {
      const ids = [...collectionOf(room, step.collection)].map(({ id }) => id)
      const id = ids[step.pick % Math.max(1, ids.length)]
      if (id !== undefined) collectionOf(room, step.collection).remove(id)
      return
    }
    case "clear":
      collectionOf(room, step.collection).clear()
      return
    case "set": {
      const row = pickedRow(room, step)
      if (row !== null && !Reflect.set(row, step.field, step.value, row)) {
        throw new Error("not assignable")
      }
      return
    }
    case "edit": {
      const row = pickedRow(room, step)
      const { name, field } = step.named
      if (row !== null) takeEdit(spotIn(row, name), field, [step.edit, (_, value) => value])
      return
    }
    case "flush":
      return
  }
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value

import fc from "fast-check"

import type { AnyRoomSchema, StateShape } from "../../schema/RoomSchema.ts"
import { fieldValue, partialValue } from "../../schema/testing/ArbitrarySchema.ts"
import type { RoomState } from "../RoomState.ts"

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

/** Any history of a schema's state. */
export const historyOf = (schema: AnyRoomSchema): fc.Arbitrary<ReadonlyArray<Step>> => {
  const collections = schema.collections.list
  const sets = [...schema.singletons.list, ...collections].flatMap(setStep)
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
      const target: unknown = Reflect.get(room.state, step.shape)
      const rows = isIterable(target) ? [...target] : [target]
      const row = rows[step.pick % Math.max(1, rows.length)]
      if (typeof row === "object" && row !== null) {
        if (!Reflect.set(row, step.field, step.value, row)) throw new Error("not assignable")
      }
      return
    }
    case "flush":
      return
  }
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value

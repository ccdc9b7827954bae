import fc from "fast-check"

import type { AnyRoomSchema, StateShape } from "../../schema/RoomSchema.ts"
import type { Asks, ShapeRules } from "../ViewRule.ts"

/** A viewer of a test. What it carries may change. */
export class Person {
  readonly name: string
  reads = 0
  #mood = 0

  constructor(name: string) {
    this.name = name
  }

  get mood(): number {
    this.reads += 1
    return this.#mood
  }

  set mood(mood: number) {
    this.#mood = mood
  }
}

/** What a rule decides by. */
export interface RulePlan {
  readonly seed: number
  /** Places of fields of the record. */
  readonly own: ReadonlyArray<number>
  /** Another part of the state: a field of a singleton, or how many records there are and their fields. */
  readonly other: { readonly shape: number; readonly field: number } | null
  readonly byMood: boolean
  readonly byOutside: boolean
  /** Now and then it throws, or answers what is no answer. */
  readonly fails: boolean
}

const rulePlan: fc.Arbitrary<RulePlan> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  own: fc.array(fc.nat({ max: 40 }), { maxLength: 2 }),
  other: fc.option(fc.record({ shape: fc.nat({ max: 6 }), field: fc.nat({ max: 40 }) })),
  byMood: fc.boolean(),
  byOutside: fc.boolean(),
  fails: fc.boolean()
})

/** Rules by shape: of the record, and of some of its fields. */
export interface ShapePlan {
  readonly record: RulePlan | null
  readonly fields: ReadonlyArray<readonly [field: number, plan: RulePlan]>
}

export const rulePlans = (shapes: number): fc.Arbitrary<ReadonlyArray<ShapePlan | null>> =>
  fc.array(
    fc.option(
      fc.record({
        record: fc.option(rulePlan),
        fields: fc.array(fc.tuple(fc.nat({ max: 40 }), rulePlan), { maxLength: 3 })
      }),
      { freq: 4 }
    ),
    { minLength: shapes, maxLength: shapes }
  )

const shapesOf = (schema: AnyRoomSchema): ReadonlyArray<StateShape> => [
  ...schema.singletons.list,
  ...schema.collections.list
]

const at = <T>(list: ReadonlyArray<T>, place: number): T | undefined => list[place % list.length]

/** Something outside of the state, of which no rule can be told that it changes. */
export interface Outside {
  value: number
}

const askerOf = (
  plan: RulePlan,
  shape: StateShape,
  { all, outside }: { readonly all: AnyRoomSchema; readonly outside: Outside }
): Asks<Person> => {
  const other = plan.other === null ? undefined : at(shapesOf(all), plan.other.shape)
  const otherField = other === undefined ? undefined : at(other.fields, plan.other?.field ?? 0)
  return (viewer, record, room) => {
    const seen: Array<unknown> = [plan.seed, viewer.name, Reflect.get(record, "id") ?? 0]
    for (const place of plan.own) {
      const field = at(shape.fields, place)
      if (field !== undefined) seen.push(plain(Reflect.get(record, field.name)))
    }
    if (other !== undefined) {
      const table = room.state[other.name] ?? room.hidden[other.name]
      const records = isIterable(table) ? [...table] : [table]
      seen.push(records.length)
      for (const each of records)
        seen.push(plain(Reflect.get(Object(each), otherField?.name ?? "")))
    }
    if (plan.byMood) seen.push(viewer.mood)
    if (plan.byOutside) seen.push(outside.value)
    const hash = hashOf(JSON.stringify(seen))
    if (plan.fails && hash % 5 === 0) throw new Error("the rule fails")
    if (plan.fails && hash % 5 === 1) return "yes"
    return hash % 2 === 0
  }
}

const hashOf = (text: string): number => {
  let hash = 7
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  // The low bits of such a sum say little more than the last characters.
  return ((hash >>> 16) ^ (hash >>> 7)) & 0xfff
}

const plain = (value: unknown): unknown => (value instanceof Uint8Array ? [...value] : value)

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value

/** The rules of the plans, for the shapes that clients know of. */
export const rulesOf = (
  plans: ReadonlyArray<ShapePlan | null>,
  shown: AnyRoomSchema,
  about: { readonly all: AnyRoomSchema; readonly outside: Outside }
): ReadonlyMap<string, ShapeRules<Person>> => {
  const rules = new Map<string, ShapeRules<Person>>()
  for (const [place, shape] of shapesOf(shown).entries()) {
    const plan = plans[place] ?? null
    if (plan === null) continue
    const fields = plan.fields.flatMap(([field, rule]): ReadonlyArray<[string, Asks<Person>]> => {
      const named = at(shape.fields, field)
      return named === undefined ? [] : [[named.name, askerOf(rule, shape, about)]]
    })
    const record = plan.record === null ? null : askerOf(plan.record, shape, about)
    if (record === null && fields.length === 0) continue
    rules.set(shape.name, { record, fields: new Map(fields) })
  }
  return rules
}
